import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Venue } from '../../domain/venue.ts';
import { findBinaries } from './binaries.ts';
import { EMBEDDED_NAMES } from './cluster-files.ts';
import { ensureCluster } from './cluster-init.ts';
import { assertPortFree, Cluster } from './cluster.ts';
import { writeOwnedFile } from './data-folder.ts';
import { type OwnFolder, type OwnFolderOptions, takeOwnFolder } from './own-folder.ts';
import type { DatabaseRoles } from '../schema/database-roles.ts';
import { prepare } from '../schema/migrate.ts';
import { isRecordThere } from '../schema/schema-files.ts';
import { openSecrets, type Secrets } from './secrets.ts';
import { ensureRunning, ensureDatabase } from './ensure-running.ts';
import { explainFolderError } from '../setup-error.ts';
import { type DatabaseLog, superviseCluster } from './cluster-supervisor.ts';

/** A running PostgreSQL of this process. The URLs hold passwords: they are not for logs. */
export interface EmbeddedDatabase {
  readonly dataDir: string;
  readonly port: number;
  /** Connects as the owner of the schema. */
  readonly ownerUrl: string;
  /** Connects as the observer, which reads what the counts need. */
  readonly observerUrl: string;
  /** Connects as the gates, which write tickets. */
  readonly gatesUrl: string;
  /** Connects as the record's role, where there is a record. */
  readonly recordUrl: string;
  /** Connects as the superuser. */
  readonly adminUrl: string;
  readonly dashboardKey: string;
  readonly sessionSecret: string;
  /** Why it does not run, and what will soon keep it from running; each with its fix. */
  readonly notReadyReason: string | undefined;
  readonly warning: string | undefined;
  /** Of the data folder's disk; NaN where it is not known. */
  readonly freeDiskBytes: number;
  /** Stops the server within 5 s and releases the folder. It may be called again. */
  stop(): Promise<void>;
}

/** The board of this database: the gates tool writes to its event, knows its venue, and asks whether it is live. */
export interface AnnouncedBoard {
  readonly eventId: string;
  readonly title: string;
  /** `undefined`: the default one, whose seats are no permitted capacities. */
  readonly venue: Venue | undefined;
  /** Where it answers on this machine; undefined where it takes any free port. */
  readonly url?: string | undefined;
}

interface StartOptions extends Omit<OwnFolderOptions, 'hasDatabase'> {
  /** The folder, if it is locked already. */
  readonly own?: OwnFolder;
  /** 0: a free one. */
  readonly port: number;
  readonly board?: AnnouncedBoard | undefined;
  /** Default: true. False: the tickets of the board are elsewhere, and gates must not write here. */
  readonly hasTickets?: boolean;
  /** Default: true. False: where there is no record yet, none is made. */
  readonly hasRecord?: boolean;
  /** More PostgreSQL settings. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly log: DatabaseLog;
  /** Aborts a start: it is undone, and rejects. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts the PostgreSQL that came with npm on 127.0.0.1, with persistent data, schema and roles. If it dies without `stop`, it
 * is restarted.
 *
 * @throws DatabaseSetupError with cause and fix.
 */
export async function startEmbeddedDatabase(options: StartOptions): Promise<EmbeddedDatabase> {
  const { log, signal, settings = {} } = options;
  const { place, lock } = options.own ?? (await takeOwnFolder(options));
  const { folder } = place;
  // A folder that the caller has locked stays locked.
  const undo: (() => Promise<void>)[] = options.own ? [] : [() => lock.release()];
  try {
    // Where there is a cluster, its server may have outlived its Node and have the port.
    if (options.port !== 0 && !existsSync(place.cluster)) await assertPortFree(options.port);
    const binaries = await findBinaries(place);
    const secrets = await openSecrets(place);
    await ensureCluster(place, binaries, secrets.superuser, log, signal);
    signal?.throwIfAborted();
    const cluster = new Cluster(place, binaries);
    undo.unshift(() => cluster.stop(log));
    const port = await ensureRunning(cluster, {
      port: options.port,
      settings,
      superuserPassword: secrets.superuser,
      log,
      signal,
    });
    signal?.throwIfAborted();
    const urls = urlsOf(port, secrets);
    await ensureDatabase(port, secrets);
    signal?.throwIfAborted();
    // A record is kept, and backed up, also by a board that has no desk now.
    const hasRecord = options.hasRecord !== false || (await isRecordThere(urls.ownerUrl));
    const recordUrl = hasRecord ? urls.recordUrl : undefined;
    await prepare({ ...urls, recordUrl }, ({ what, done }) => {
      if (done) log(`${what}: done`);
    });
    await lock.setPort(port);
    undo.unshift(await announce(folder, port, { ...urls, recordUrl }, secrets.gates, options));
    const restart = (ending: AbortSignal): Promise<void> => cluster.start(port, settings, ending);
    const watch = superviseCluster(cluster, { folder, start: restart, log });
    undo.unshift(() => watch.end());
    log(
      `PostgreSQL runs on port ${port}, data in ${folder}${place.account ? `, as ${place.account.name}` : ''}`,
    );
    let stopping: Promise<void> | undefined;
    return {
      ...urls,
      dataDir: folder,
      port,
      dashboardKey: secrets.dashboardKey,
      sessionSecret: secrets.sessionSecret,
      get notReadyReason() {
        return watch.notReadyReason;
      },
      get warning() {
        return watch.warning;
      },
      get freeDiskBytes() {
        return watch.freeDiskBytes;
      },
      stop: () => (stopping ??= runAll(undo)),
    };
  } catch (error) {
    await runAll(undo);
    throw explainFolderError(error, folder);
  }
}

/** Writes the connection files for a gate system on this machine, for as long as the server runs. */
async function announce(
  folder: string,
  port: number,
  { gatesUrl: url, recordUrl }: Pick<DatabaseRoles, 'gatesUrl' | 'recordUrl'>,
  password: string,
  { board, hasTickets = true }: Pick<StartOptions, 'board' | 'hasTickets'>,
): Promise<() => Promise<void>> {
  const files = {
    'gates.json': JSON.stringify({ url, recordUrl, pid: process.pid, board, hasTickets }),
    // The format of libpq's password file.
    'gates.pgpass': `127.0.0.1:${port}:${EMBEDDED_NAMES.database}:${EMBEDDED_NAMES.gates}:${password}\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeOwnedFile(join(folder, name), text, 0o600);
  return async () => {
    for (const name of Object.keys(files)) await rm(join(folder, name), { force: true });
  };
}

export function urlsOf(port: number, secrets: Secrets) {
  const url = (user: string, password: string): string =>
    `postgres://${user}:${password}@127.0.0.1:${port}/${EMBEDDED_NAMES.database}`;
  return {
    ownerUrl: url(EMBEDDED_NAMES.owner, secrets.owner),
    observerUrl: url(EMBEDDED_NAMES.observer, secrets.observer),
    gatesUrl: url(EMBEDDED_NAMES.gates, secrets.gates),
    recordUrl: url(EMBEDDED_NAMES.record, secrets.record),
    adminUrl: url(EMBEDDED_NAMES.superuser, secrets.superuser),
  };
}

/** Runs every step, even if one before it fails; then throws the first failure. */
async function runAll(actions: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const action of actions) {
    await action().catch((error: unknown) => {
      failures.push(error);
    });
  }
  if (failures.length > 0) throw failures[0];
}
