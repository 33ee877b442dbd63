import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeTestFolder } from '../folder.ts';
import type { TestHost } from '../fleet/hosts.ts';
import { freePort } from './free-port.ts';
import { type ProcessUsage, usageOf } from './process-usage.ts';
import { type Program, type ProgramOptions, startProgram } from './program.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { unhinderedNow } from '../until.ts';

export const EMAIL = 'painel@exemplo.test';
export const KEY = 'uma-chave-de-teste-com-32-letras';

/** The settings of every server of the kit, beside DATABASE_URL and PORT. */
export const SERVER_SETTINGS = {
  DASHBOARD_EMAIL: EMAIL,
  DASHBOARD_KEY: KEY,
  SESSION_SECRET: 'um-segredo-de-teste-com-32-letras',
  EVENT_TITLE: 'Palestra × Atlético',
};

/** The built server as an operator runs it: a process of its own, with the durations of the field. */
export interface ServerProcess extends Program {
  readonly pid: number;
  readonly url: string;
  /** When it was asked for, by `performance.now()`. */
  readonly spawnedAtMs: number;
  readonly usage: ProcessUsage;
  /** The lines of its log so far. */
  readonly logged: Record<string, unknown>[];
  /** Throws what it wrote to stderr if it has ended. */
  assertRunning(): void;
  /** Resolves once it serves this path; rejects when it ends, or after `limitMs`. */
  serves(path: '/healthz' | '/readyz', limitMs?: number): Promise<void>;
  /** SIGTERM; rejects unless it ends in order. `graceMs`: SIGKILL after this long, which is no error. */
  stop(graceMs?: number): Promise<void>;
}

export interface ServerOptions extends Pick<ProgramOptions, 'ipc'> {
  /** Default: a free one. */
  readonly port?: number;
  /** Settings beside the kit's. */
  readonly env?: Readonly<Record<string, string>>;
  /** Options of Node, beside those of `npm start`. */
  readonly nodeOptions?: readonly string[];
  /** The machine on which it runs; default: this one. */
  readonly host?: TestHost;
  /** The script of the project that is started. */
  readonly script?: string;
}

/** What `npm start` has in its environment to serve this database. */
export function serverEnvironment(databaseUrl: string, port: number): Record<string, string> {
  return { ...SERVER_SETTINGS, DATABASE_URL: databaseUrl, PORT: String(port) };
}

/** One of many processes: a counter takes none of the settings of screens. Resolves at once, as `launchServer` does. */
export async function launchRole(
  role: 'counter' | 'edge',
  { port, env = {}, ...options }: ServerOptions,
): Promise<ServerProcess> {
  port ??= await freePort();
  const own = role === 'edge' ? { ...SERVER_SETTINGS, STATE_DIR: makeTestFolder() } : {};
  return launch(port, { ...own, ROLE: role, PORT: String(port), ...env }, options);
}

/** Resolves at once: the port opens a little later. */
export async function launchServer(
  databaseUrl: string,
  { port, env = {}, ...options }: ServerOptions = {},
): Promise<ServerProcess> {
  port ??= await freePort();
  return launch(port, { ...serverEnvironment(databaseUrl, port), ...env }, options);
}

function launch(
  port: number,
  env: Readonly<Record<string, string>>,
  { nodeOptions = [], script = 'build/server/start.js', ipc = false, host }: ServerOptions,
): ServerProcess {
  const url = `http://${host?.address ?? '127.0.0.1'}:${port}`;
  const spawnedAtMs = performance.now();
  const start = join(PROJECT_ROOT, script);
  if (!existsSync(start)) throw new Error('the server is not built: npm run build');
  const [command, ...args] = [
    ...(host?.through ?? []),
    process.execPath,
    ...startOptions(),
    ...nodeOptions,
    start,
  ];
  const ofHost = host && { HOST: '0.0.0.0', METRICS_HOST: host.address };
  const program = startProgram(command, args, { env: { ...ofHost, ...env }, ipc });
  const { child, stdout, stderr, ended } = program;
  if (child.pid === undefined) throw new Error('the server could not be started');
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const assertRunning = (): void => {
    if (hasEnded()) throw new Error(`the server ended by itself: ${stderr() || 'it wrote nothing'}`);
  };
  return {
    ...program,
    pid: child.pid,
    url,
    spawnedAtMs,
    usage: usageOf(child.pid),
    get logged() {
      // The last line may have come in part.
      const lines = stdout().split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    assertRunning,
    async serves(path, limitMs = 30_000) {
      const untilMs = unhinderedNow() + limitMs;
      for (;;) {
        const answer = await fetch(`${url}${path}`).then(
          async (response) => (response.ok ? undefined : response.text()),
          String,
        );
        if (answer === undefined) return;
        assertRunning();
        if (unhinderedNow() > untilMs)
          throw new Error(`${url}${path} is not there after ${limitMs} ms: ${answer}`);
        await pause(20);
      }
    },
    async stop(graceMs) {
      if (hasEnded()) return;
      child.kill('SIGTERM');
      // A test that fails may leave it stopped.
      child.kill('SIGCONT');
      const timer = graceMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), graceMs);
      const end = await ended;
      clearTimeout(timer);
      if (graceMs === undefined && end !== 0) throw new Error(`the server ended with ${end}: ${stderr()}`);
    },
  };
}

/** The options of Node in `npm start`. */
function startOptions(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly start: string };
  };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}
