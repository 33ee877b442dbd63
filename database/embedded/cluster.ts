import { readFileSync } from 'node:fs';
import { readdir, readFile, readlink, realpath, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { accessFile, SETTINGS_FILE, settingsFile } from './cluster-files.ts';
import { writeOwnedFile, type DataFolder } from './data-folder.ts';
import { isPortFree } from './free-port.ts';
import { childProcesses, processesIn, processIdentity } from './process-identity.ts';
import { runProgram, type ProgramResult } from './run-program.ts';
import { describePortOwner } from '../../domain/port-owner.ts';
import { DatabaseSetupError, DiskFullError, errorCode } from '../setup-error.ts';
import { unlessAborted } from '../unless-aborted.ts';

const START_LIMIT_S = 120;
/** Together under the 5 s in which everything has to have stopped. */
const STOP_LIMIT_S = { fast: 2, immediate: 1 };
/** How long processes that outlive their server may take to end by themselves. */
const ORPHAN_GRACE_MS = 1_000;
/** A killed process may still have to finish a write. */
const KILL_LIMIT_MS = 5_000;
const POLL_INTERVAL_MS = 20;
/** One file of the write-ahead log: a server that cannot make one does not start. */
const MIN_FREE_BYTES = 16 * 1024 * 1024;

/** One PostgreSQL cluster on disk, and the server that runs it in a session of its own. */
export class Cluster {
  readonly #place: DataFolder;
  readonly #binaries: Binaries;
  /** A start under way, also an aborted one. */
  #starting: Promise<ProgramResult> | undefined;
  /** The server that was last known to run here. */
  #server: { readonly pid: number; readonly identity: string } | undefined;

  constructor(place: DataFolder, binaries: Binaries) {
    this.#place = place;
    this.#binaries = binaries;
  }

  /** The process and port of the server that runs now, also one that another process has started. */
  async running(): Promise<{ readonly pid: number; readonly port: number } | undefined> {
    const text = await readFile(this.#file('postmaster.pid'), 'utf8').catch(() => '');
    const [pid, , , port] = text.split('\n').map(Number);
    if (!pid || processIdentity(pid) === undefined) return undefined;
    // The process id may have been reused by another program: pg_ctl knows.
    const { code } = await this.#pgCtl('status');
    const identity = processIdentity(pid);
    if (code !== 0 || identity === undefined) return undefined;
    this.#server = { pid, identity };
    return { pid, port: port ?? 0 };
  }

  /** Whether its process lives: cheap enough to check twice a second. */
  isAlive(): boolean {
    try {
      const pid = Number.parseInt(readFileSync(this.#file('postmaster.pid'), 'utf8'), 10);
      return processIdentity(pid) !== undefined;
    } catch {
      return false;
    }
  }

  /** Whether the server's settings and its rules of access are those that `start` would give it. */
  async hasSettings(port: number, extra: Readonly<Record<string, string>>): Promise<boolean> {
    const read = (name: string): Promise<string | undefined> =>
      readFile(this.#file(name), 'utf8').catch(() => undefined);
    const [settings, access] = await Promise.all([read(SETTINGS_FILE), read('pg_hba.conf')]);
    return settings === settingsFile(port, this.#binaries, extra) && access === accessFile();
  }

  /**
   * Once `signal` aborts, `stop` ends what has been started by then.
   *
   * @throws DatabaseSetupError: the server does not start; with the reason from its log.
   */
  async start(port: number, extra: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<void> {
    // First, as it would go on to confirm commits without its folder.
    await this.#killOrphans();
    const owner = this.#place.account;
    await writeOwnedFile(this.#file(SETTINGS_FILE), settingsFile(port, this.#binaries, extra), 0o600, owner);
    await writeOwnedFile(this.#file('pg_hba.conf'), accessFile(), 0o600, owner);
    const startLog = this.#file('start.log');
    await rm(startLog, { force: true });
    await this.#removeStalePidFile();
    signal?.throwIfAborted();
    const startedAt = Date.now();
    const starting = this.#pgCtl('start', '-l', startLog, '-t', String(START_LIMIT_S)).finally(() => {
      this.#starting = undefined;
    });
    this.#starting = starting;
    const { code, output } = await unlessAborted(starting, signal);
    if (code !== 0) throw await this.#explain(output, port, startedAt);
    await this.running();
  }

  /**
   * Ends every session and stops the server, also one that is being started; a hanging one is stopped hard, which loses
   * nothing committed.
   */
  async stop(log: (line: string) => void): Promise<void> {
    // It can be stopped once its process is there.
    while (this.#starting && !this.isAlive()) await sleep(POLL_INTERVAL_MS);
    await this.#stopServer(log);
    await this.#killOrphans();
    // pg_ctl notices that its server has ended.
    await this.#starting;
  }

  async #stopServer(log: (line: string) => void): Promise<void> {
    for (const mode of ['fast', 'immediate'] as const) {
      const { code } = await this.#pgCtl('stop', '-m', mode, '-t', String(STOP_LIMIT_S[mode]));
      if (code === 0) return;
      const server = await this.running();
      if (!server) return;
      log(`PostgreSQL (process ${server.pid}) did not stop within ${STOP_LIMIT_S[mode]} s of a ${mode} stop`);
    }
    const server = await this.running();
    if (!server) return;
    log(`killing PostgreSQL (process ${server.pid}); the next start recovers what was committed`);
    // Children end by themselves without their parent, unless they hang.
    await killAll([server.pid, ...childProcesses(server.pid)]);
  }

  /**
   * A killed server remains as a zombie where process 1 reaps none, as in a container without an init, and PostgreSQL
   * takes it for a running one. Children that still run do no harm here: PostgreSQL finds them by their shared memory.
   */
  async #removeStalePidFile(): Promise<void> {
    const text = await readFile(this.#file('postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number.parseInt(text, 10);
    if (pid > 0 && processIdentity(pid) === undefined)
      await rm(this.#file('postmaster.pid'), { force: true });
  }

  /**
   * Processes that outlive their server end by themselves, unless one hangs: it would keep every other server from
   * starting. They can commit nothing any more. A server without its file has ended, or its folder was deleted or moved.
   */
  async #killOrphans(): Promise<void> {
    if (this.isAlive()) return;
    const server = this.#server;
    if (server && processIdentity(server.pid) === server.identity)
      await killAll([server.pid, ...childProcesses(server.pid)]);
    const folder = await realpath(this.#place.cluster).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
      // So Linux names the working folder of a process that was deleted.
      return `${this.#place.cluster} (deleted)`;
    });
    const orphans = (): number[] => processesIn(folder, 'postgres');
    if (await isGone(orphans, ORPHAN_GRACE_MS)) return;
    await killAll(orphans());
  }

  #pgCtl(command: 'start' | 'stop' | 'status', ...args: string[]): Promise<ProgramResult> {
    // Detached: Ctrl-C in the terminal must not cut a start or a stop short.
    return runProgram(
      this.#binaries.program('pg_ctl'),
      [command, '-w', '-s', '-D', this.#place.cluster, ...args].filter(
        (arg) => command !== 'status' || arg !== '-w',
      ),
      { account: this.#place.account, detached: true },
    );
  }

  #file(name: string): string {
    return join(this.#place.cluster, name);
  }

  async #explain(output: string, port: number, startedAt: number): Promise<DatabaseSetupError> {
    const log = await this.#errorLinesSince(startedAt);
    const text = `${output}\n${log}`;
    // A full disk has no room for its own errorLines either.
    const { bavail, bsize } = await statfs(this.#place.folder);
    if (/No space left on device|Disk quota exceeded/.test(text) || bavail * bsize < MIN_FREE_BYTES)
      return new DiskFullError(this.#place.folder);
    if (/Address already in use|could not bind/.test(text)) return await portTaken(port);
    if (/has invalid permissions/.test(text)) {
      return new DatabaseSetupError(
        `Other accounts may read ${this.#place.cluster}, and PostgreSQL does not start on such a folder.`,
        `Run: chmod 700 ${this.#place.cluster}`,
      );
    }
    return new DatabaseSetupError(
      `The embedded PostgreSQL did not start: ${log || output}`,
      `Its log is ${this.#file('start.log')} and ${this.#file('log')}.`,
    );
  }

  async #errorLinesSince(startedAt: number): Promise<string> {
    const names = await readdir(this.#file('log')).catch(() => []);
    let errorLines: string[] = [];
    // Output before the log files exist is in start.log, and then it is the reason.
    for (const name of ['start.log', ...names.map((log) => join('log', log))]) {
      if (errorLines.length > 0) break;
      const { mtimeMs } = await stat(this.#file(name)).catch(() => ({ mtimeMs: 0 }));
      if (mtimeMs < startedAt - 1000) continue;
      const text = await readFile(this.#file(name), 'utf8');
      errorLines.push(...text.split('\n').filter((line) => /FATAL|PANIC|ERROR|invalid|could not/.test(line)));
    }
    return errorLines.slice(-3).join(' | ');
  }
}

/** Resolves once they have ended: their port and their folder are free. */
async function killAll(pids: readonly number[]): Promise<void> {
  for (const pid of pids) killIfThere(pid);
  await isGone(() => pids.filter((pid) => processIdentity(pid) !== undefined), KILL_LIMIT_MS);
}

async function isGone(processes: () => readonly number[], limitMs: number): Promise<boolean> {
  const giveUpAtMs = performance.now() + limitMs;
  while (processes().length > 0) {
    if (performance.now() > giveUpAtMs) return false;
    await sleep(POLL_INTERVAL_MS);
  }
  return true;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

/** @throws DatabaseSetupError when another program listens on it. */
export async function assertPortFree(port: number): Promise<void> {
  if (!(await isPortFree(port))) throw await portTaken(port);
}

async function portTaken(port: number): Promise<DatabaseSetupError> {
  const owner = await describePortOwner(port, { readdir, readFile, readlink }, process.getuid?.());
  return new DatabaseSetupError(
    `Port ${port}, on which the embedded PostgreSQL would listen, is taken by ${owner}.`,
    'Stop that program, or set EMBEDDED_DATABASE_PORT to a free port.',
  );
}
