import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { CommandLineEnd, readCommandLine } from './command-line.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { startTriagem } from './main.ts';
import { readRoleConfig } from './roles/role-config.ts';
import type { Role } from './roles/role.ts';
import type { Triagem } from './roles/triagem.ts';

/** The process of `npm start`: environment in, log out, SIGTERM and SIGINT drain. */

const HELP = `Usage: npm start

Serves the board. It takes no arguments: its settings are environment variables, all of them optional.
docs/reference.md lists them ("Settings"); the first ones to know:

  PORT, HOST    where it listens (default: 3000 on 127.0.0.1)
  DATABASE_URL  a PostgreSQL server of yours (default: one that Triagem brings, with its data in DATA_DIR)
  EVENT_ID      the event shown;  EVENT_TITLE  its title
  FIRESTORE_PROJECT
                a Firebase project whose tickets are shown in place of a PostgreSQL's (new: tried on Google's emulator only),
                with GOOGLE_APPLICATION_CREDENTIALS, or FIREBASE_API_KEY, FIREBASE_EMAIL and FIREBASE_PASSWORD
  ROLE          counter or edge, for many machines (default: one process with everything in it)

The log goes to standard output, one line of JSON each. Ctrl-C stops it.
`;

const SERVES: Readonly<Record<Role, string>> = {
  'all-in-one': 'serving the board',
  counter: 'counting',
  edge: 'serving the board',
};

/** A drain that takes longer is cut off. */
const DRAIN_LIMIT_MS = 4_500;

/** A database that is refused within this time is reported before the server claims to serve. */
const REFUSAL_LIMIT_MS = 1_000;
const POLL_INTERVAL_MS = 20;
const PARENT_CHECK_INTERVAL_MS = 500;

// A terminal or a reader of the log may end. The board continues, and can still be stopped in order.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, process.stdout);

function giveUp(error: unknown): never {
  // The start was aborted.
  if (error instanceof Error && error.name === 'AbortError') process.exit(0);
  if (error instanceof CommandLineEnd) process.exit(error.say());
  console.error(error instanceof OperatorError ? error.message : error);
  process.exit(1);
}

function limitDrain(): void {
  setTimeout(() => process.exit(1), DRAIN_LIMIT_MS).unref();
}

async function drain(triagem: Triagem, code: number): Promise<never> {
  limitDrain();
  await triagem.stop();
  log.info('stopped');
  process.exit(code);
}

async function firstAttempt(triagem: Triagem): Promise<void> {
  const giveUpAtMs = performance.now() + REFUSAL_LIMIT_MS;
  while (triagem.isStarting?.() && performance.now() < giveUpAtMs) await sleep(POLL_INTERVAL_MS);
}

/** npm passes neither SIGHUP nor its own end on: the server that it started checks for its parent. */
function onNpmGone(stop: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const npm = process.ppid;
  setInterval(() => process.ppid === npm || stop(), PARENT_CHECK_INTERVAL_MS).unref();
}

async function start(): Promise<void> {
  readCommandLine(process.argv.slice(2), { program: 'npm start', help: HELP, options: {} });
  const stopping = new AbortController();
  const config = readRoleConfig(process.env);
  const starting = startTriagem(config, log, { signal: stopping.signal });
  const stop = (signal: string): void => {
    if (stopping.signal.aborted) return;
    limitDrain();
    log.info({ signal }, 'stopping');
    stopping.abort();
    starting.then((triagem) => drain(triagem, 0)).catch(giveUp);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  onNpmGone(() => stop('npm is gone'));
  const triagem = await starting;
  const { observing, url } = triagem;
  await Promise.race([observing, firstAttempt(triagem)]).then(
    () => log.info({ url }, `${SERVES[config.role]}; Ctrl-C stops it`),
    () => {},
  );
  await observing.catch(async (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    await drain(triagem, 1);
  });
}

await start().catch(giveUp);
