import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { pino } from 'pino';
import { CommandLineEnd, readCommandLine, wrongUsage } from '../server/command-line.ts';
import { type Config, readConfig, titleOf } from '../server/config.ts';
import { errorMessage } from '../server/database/setup-error.ts';
import { OperatorError } from '../server/errors.ts';
import { startTriagem } from '../server/main.ts';

/** The process of `npm run demo`: the board on a database of its own, and spectators that come in. */

const HELP = `Usage: npm run demo [-- --speed X]

Serves the board with a simulated event: 43,680 tickets, or one for each seat of the VENUE_FILE, and spectators that come
in as at Castelão on 26 March 2025. Its data is its own; DATABASE_URL and the data of npm start are not touched. Ctrl-C
stops everything.

  --speed X  times faster than real life (default: 60, two hours in two minutes)

PORT, HOST, DATA_DIR, EMBEDDED_DATABASE_PORT, EVENT_ID, EVENT_TITLE, TIME_ZONE, VENUE_FILE are respected.
`;

const PROGRAM = 'npm run demo';
const TITLE = 'Palestra × Atlético';
/** Their share of the 5 s in which everything must have stopped. */
const SPECTATORS_STOP_LIMIT_MS = 1_000;
const STOP_LIMIT_MS = 4_800;

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof CommandLineEnd) return error.say();
  say(error instanceof OperatorError ? error.message : inspect(error));
  return 1;
});

async function main(args: readonly string[]): Promise<number> {
  const speed = readSpeed(args);
  const stopAsked = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
        resolve();
      });
    }
  });
  if (process.env['DATABASE_URL']) say('DATABASE_URL is not used: the demo has a database of its own.');
  say('Starting the demonstration...');
  // Ctrl-C while it starts: what is started is stopped, as soon as it can be.
  const log = pino({ level: 'warn', base: null }, process.stderr);
  const triagem = await startTriagem(demoConfig(), log);
  const { url, database, observing } = triagem;
  if (!database) throw new Error('unreachable: the demo has an embedded database');

  say(`\n  The board:  ${url}\n  Ctrl-C stops everything.\n`);
  const spectators = fork(
    fileURLToPath(new URL('../gates/main.js', import.meta.url)),
    ['simulate', '--reset', '--speed', speed],
    // As whoever runs the gates tool beside the demo; nobody named another database.
    { env: { ...process.env, GATES_DATABASE_URL: '', DATA_DIR: database.dataDir } },
  );
  const spectatorsEnded = once(spectators, 'exit');
  let stopping = false;
  spectators.once('exit', (code) => {
    if (stopping) return;
    if (code === 0) say(`The board stays at ${url} until Ctrl-C.`);
    else {
      say(
        'The spectators stopped, as said above; the board stays until Ctrl-C. With another EVENT_ID, or after ' +
          `"rm -r ${database.dataDir}", the demo begins afresh.`,
      );
    }
  });
  const failure = await Promise.race([stopAsked, observing.then(() => stopAsked)]).catch(errorMessage);
  stopping = true;
  say('Stopping...');
  // On Ctrl-C the terminal has told the spectators already; asking again does no harm.
  spectators.kill('SIGTERM');
  const limit = setTimeout(() => spectators.kill('SIGKILL'), SPECTATORS_STOP_LIMIT_MS);
  await spectatorsEnded;
  clearTimeout(limit);
  await triagem.stop();
  if (failure === undefined) return 0;
  say(failure);
  return 1;
}

function demoConfig(): Config {
  const env: NodeJS.ProcessEnv = { ...process.env, DATABASE_URL: undefined };
  const config = readConfig(env);
  if (config.database.kind !== 'embedded') throw new Error('unreachable: DATABASE_URL was taken away');
  return {
    ...config,
    demo: true,
    title: env['EVENT_TITLE']?.trim() ? config.title : titleOf(TITLE),
    // Any free port, unless one is asked for: npm start may be running beside the demo.
    database: {
      ...config.database,
      subfolder: 'demo',
      port: env['EMBEDDED_DATABASE_PORT'] ? config.database.port : 0,
    },
  };
}

function readSpeed(args: readonly string[]): string {
  const { values } = readCommandLine(args, {
    program: PROGRAM,
    help: HELP,
    options: { speed: { type: 'string', default: '60' } },
  });
  const { speed } = values;
  if (Number(speed) > 0 && Number.isFinite(Number(speed))) return speed;
  throw wrongUsage(`--speed is "${speed}", which is not a number above 0.`, PROGRAM);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
