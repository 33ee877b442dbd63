import { pino } from 'pino';
import { CommandLineEnd, readCommandLine } from './command-line.ts';
import { readConfig } from './config.ts';
import { OperatorError } from './errors.ts';
import { startTriagem, type Triagem } from './main.ts';

/** The process of `npm start`: environment in, log out, SIGTERM and SIGINT drain. */

const HELP = `Usage: npm start

Serves the board. It takes no arguments: its settings are environment variables, all of them optional. README.md lists
them ("Settings"); the first ones to know:

  PORT, HOST    where it listens (default: 3000 on 127.0.0.1)
  DATABASE_URL  a PostgreSQL server of yours (default: one that Triagem brings, with its data in DATA_DIR)
  EVENT_ID      the event shown;  EVENT_TITLE  its title

The log goes to standard output, one line of JSON each. Ctrl-C stops it.
`;

/** A drain that hangs is cut off: whoever stops the server waits no longer than this. */
const DRAIN_LIMIT_MS = 4_500;

const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime });

function giveUp(error: unknown): never {
  if (error instanceof CommandLineEnd) process.exit(error.say());
  console.error(error instanceof OperatorError ? error.message : error);
  process.exit(1);
}

/** From the signal on, whether everything has started by then or not. */
function limitDrain(): void {
  setTimeout(() => process.exit(1), DRAIN_LIMIT_MS).unref();
}

async function drain(triagem: Triagem, code: number): Promise<never> {
  limitDrain();
  await triagem.stop();
  log.info('stopped');
  process.exit(code);
}

async function start(): Promise<void> {
  readCommandLine(process.argv.slice(2), { program: 'npm start', help: HELP, options: {} });
  const starting = startTriagem(readConfig(process.env), log);
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      log.info({ signal }, 'stopping');
      limitDrain();
      starting.then((triagem) => drain(triagem, 0), giveUp).catch(giveUp);
    });
  }
  const triagem = await starting;
  log.info({ url: triagem.url }, 'serving the board; Ctrl-C stops it');
  await triagem.observing.catch(async (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    await drain(triagem, 1);
  });
}

await start().catch(giveUp);
