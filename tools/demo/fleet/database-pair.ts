import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Binaries, findBinaries } from '../../../database/embedded/binaries.ts';
import { EMBEDDED_NAMES } from '../../../database/embedded/cluster-files.ts';
import { ensureCluster } from '../../../database/embedded/cluster-init.ts';
import { Cluster } from '../../../database/embedded/cluster.ts';
import { type DataFolder, openDataFolder, writeOwnedFile } from '../../../database/embedded/data-folder.ts';
import { ensureDatabase } from '../../../database/embedded/ensure-running.ts';
import { lockFolder } from '../../../database/embedded/folder-lock.ts';
import { freePort } from '../../../database/embedded/free-port.ts';
import { openSecrets, type Secrets } from '../../../database/embedded/secrets.ts';
import { connectionFault, setupError } from '../../../database/connection-fault.ts';
import { prepare } from '../../../database/schema/migrate.ts';
import { withConnection } from '../../../database/with-connection.ts';

const run = promisify(execFile);

/** A PostgreSQL and its standby by streaming replication. They are not restarted when they are killed. */
export interface DatabasePair {
  /** Has the secrets and the other files of the demo. */
  readonly folder: string;
  readonly members: readonly PairMember[];
  /** Connection strings with both hosts. They contain passwords, so they must not be logged. */
  readonly observerUrl: string;
  readonly gatesUrl: string;
  readonly recordUrl: string;
  readonly primary: {
    readonly ownerUrl: string;
    readonly gatesUrl: string;
    readonly recordUrl: string;
    readonly dataDir: string;
  };
  stop(): Promise<void>;
}

interface PairMember {
  readonly name: string;
  readonly port: number;
  /** Resolves with the postmaster's process ID; with undefined if it does not run. */
  pid(): Promise<number | undefined>;
  /** Returns a command line for the shell. */
  command(what: 'promote' | 'start'): string;
}

interface Part {
  readonly place: DataFolder;
  readonly cluster: Cluster;
  readonly port: number;
}

/** The primary keeps its log until the standby has read it. */
const SETTINGS = { wal_keep_size: '1GB' };

/** Stops the servers of an earlier demo, deletes their data, and starts new ones. */
export async function startDatabasePair(
  dataDir: string | undefined,
  signal: AbortSignal,
): Promise<DatabasePair> {
  const first = await openDataFolder(dataDir, 'fleet-1');
  const second = await openDataFolder(dataDir, 'fleet-2');
  const lock = await lockFolder(first.folder);
  const parts: Part[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(parts.map(({ cluster }) => cluster.stop(() => {})));
    await lock.release();
  };
  try {
    const binaries = await findBinaries(first);
    for (const place of [first, second]) {
      const cluster = new Cluster(place, binaries);
      if (await cluster.running()) await cluster.stop(() => {});
      await rm(place.cluster, { recursive: true, force: true });
      const port = await freePort();
      parts.push({ place, cluster, port });
    }
    const [primary, standby] = parts;
    if (!primary || !standby) throw new Error('unreachable: there are two');
    const secrets = await openSecrets(first);
    await ensureCluster(first, binaries, secrets.superuser, () => {}, signal);
    await startPrimary(primary, secrets);
    signal.throwIfAborted();
    await startStandby(standby, primary, secrets);
    const url = (role: 'observer' | 'gates' | 'record'): string =>
      urlOf(
        role,
        secrets,
        parts.map(({ port }) => port),
      );
    return {
      folder: first.folder,
      members: parts.map((part, index) => memberOf(index === 0 ? 'primary' : 'standby', part, binaries)),
      observerUrl: url('observer'),
      gatesUrl: url('gates'),
      recordUrl: url('record'),
      primary: {
        ownerUrl: urlOf('owner', secrets, [primary.port]),
        gatesUrl: urlOf('gates', secrets, [primary.port]),
        recordUrl: urlOf('record', secrets, [primary.port]),
        dataDir: first.folder,
      },
      stop,
    };
  } catch (error) {
    await stop();
    const fault = connectionFault(error, { dataDir: first.folder });
    throw fault ? setupError(fault, error) : error;
  }
}

async function startPrimary({ place, cluster, port }: Part, secrets: Secrets): Promise<void> {
  await cluster.start(port, SETTINGS);
  await ensureDatabase(port, secrets);
  const url = (role: Role): string => urlOf(role, secrets, [port]);
  await prepare(
    {
      ownerUrl: url('owner'),
      observerUrl: url('observer'),
      gatesUrl: url('gates'),
      recordUrl: url('record'),
    },
    () => {},
  );
  await admitStandby(place, urlOf('superuser', secrets, [port]));
}

/**
 * Copies the files of the running primary (PostgreSQL documentation, "Making a Base Backup Using the Low Level API"), since
 * the embedded binaries have no pg_basebackup.
 */
async function startStandby(standby: Part, primary: Part, secrets: Secrets): Promise<void> {
  const { place, cluster, port } = standby;
  const label = await withConnection(urlOf('superuser', secrets, [primary.port]), async (sql) => {
    await sql`select pg_backup_start('standby', true)`;
    // Files may change or vanish during the copy: the standby replays these changes from the log.
    await run('cp', ['-a', primary.place.cluster, place.cluster]).catch(() => {});
    const [row] = await sql<{ label: string }[]>`select labelfile as label from pg_backup_stop(false)`;
    return row?.label ?? '';
  });
  for (const name of ['postmaster.pid', 'postmaster.opts', 'tablespace_map']) {
    await rm(join(place.cluster, name), { force: true });
  }
  const { account } = place;
  await writeOwnedFile(join(place.cluster, 'backup_label'), label, 0o600, account);
  await writeOwnedFile(join(place.cluster, 'standby.signal'), '', 0o600, account);
  const { superuser } = EMBEDDED_NAMES;
  await cluster.start(port, {
    ...SETTINGS,
    primary_conninfo: `host=127.0.0.1 port=${primary.port} user=${superuser} password=${secrets.superuser}`,
  });
  await admitStandby(place, urlOf('superuser', secrets, [port]));
}

/** The rules of an embedded cluster refuse physical replication. */
async function admitStandby({ cluster, account }: DataFolder, adminUrl: string): Promise<void> {
  const rules = join(cluster, 'pg_hba.conf');
  const line = `host replication ${EMBEDDED_NAMES.superuser} 127.0.0.1/32 scram-sha-256\n`;
  await writeOwnedFile(rules, line + (await readFile(rules, 'utf8')), 0o600, account);
  await withConnection(adminUrl, async (sql) => void (await sql`select pg_reload_conf()`));
}

type Role = 'superuser' | 'owner' | 'observer' | 'gates' | 'record';

function urlOf(role: Role, secrets: Secrets, ports: readonly number[]): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join();
  return `postgres://${EMBEDDED_NAMES[role]}:${secrets[role]}@${hosts}/${EMBEDDED_NAMES.database}`;
}

function memberOf(name: string, { place, cluster, port }: Part, binaries: Binaries): PairMember {
  const { account } = place;
  return {
    name: `PostgreSQL ${name}`,
    port,
    pid: async () => (await cluster.running())?.pid,
    command(what) {
      const words = [binaries.program('pg_ctl'), what, '-D', place.cluster];
      if (what === 'start') words.push('-l', '/dev/null');
      // It does not run as root.
      return [...(account ? ['runuser', '-u', account.name, '--'] : []), ...words].join(' ');
    },
  };
}
