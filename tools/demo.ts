import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { pino } from 'pino';
import { DEFAULT_VENUE } from '../domain/venue.ts';
import type { GatesOpen } from '../gates/simulate.ts';
import { titleOf } from '../server/board-config.ts';
import { CommandLineEnd } from '../server/command-line.ts';
import { type Config, readConfig } from '../server/config.ts';
import { errorMessage } from '../server/database/setup-error.ts';
import { OperatorError } from '../server/errors.ts';
import { startAllInOne } from '../server/roles/all-in-one.ts';
import type { Triagem } from '../server/roles/triagem.ts';
import { prepareDemo } from './demo/demo-data.ts';
import { deskLink } from './demo/desk-link.ts';
import { MatchClock } from './demo/match-clock.ts';
import { setMatchTimes } from './demo/match-times.ts';
import { incidentsAt, readOptions } from './demo/options.ts';

/** The process of `npm run demo`: the board on a database of its own, and spectators that come in. */

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
  const options = readOptions(args);
  const config = demoConfig();
  const { eventId, venue = DEFAULT_VENUE } = config;
  const incidents = incidentsAt(venue, options);
  const stopping = new AbortController();
  const stopAsked = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
        stopping.abort();
        resolve();
      });
    }
  });
  if (process.env['DATABASE_URL']) say('DATABASE_URL is not used: the demo has a database of its own.');
  say('Starting the demonstration...');
  const log = pino({ level: 'warn', base: null }, process.stderr);
  const clock = new MatchClock(Number(options.speed));
  let triagem: Triagem;
  try {
    triagem = await startAllInOne(config, log, {
      flowClock: clock.read,
      signal: stopping.signal,
      onDatabase: (made) => prepareDemo(made, { eventId, venue, signal: stopping.signal, say }),
    });
  } catch (error) {
    // What had been started is stopped.
    if (stopping.signal.aborted) return 0;
    throw error;
  }
  const { url, database, observing } = triagem;
  if (!database) throw new Error('unreachable: the demo has an embedded database');

  const ownKey = process.env['DESK_KEY']?.trim() ? undefined : config.deskKey;
  const desk = ownKey === undefined ? `${url}/fluxo` : deskLink(url, ownKey);
  const key = ownKey ?? 'that of DESK_KEY';
  say(`\n  The board:  ${url}\n  The desk:   ${desk}\n  Desk key:   ${key}\n  Ctrl-C stops everything.\n`);
  const incidentOptions = incidents.flatMap((incident) => ['--incident', incident]);
  const spectators = fork(
    fileURLToPath(new URL('../gates/main.js', import.meta.url)),
    ['simulate', '--reset', '--speed', options.speed, ...incidentOptions],
    // As whoever runs the gates tool beside the demo; nobody named another database.
    { env: { ...process.env, GATES_DATABASE_URL: '', DATA_DIR: database.dataDir, TRIAGEM_DEMO: '1' } },
  );
  const spectatorsEnded = once(spectators, 'exit');
  spectators.on('message', ({ gatesOpenAtMs }: GatesOpen) => {
    const gatesOpenMs = clock.open(gatesOpenAtMs, Date.now());
    const title = process.env['EVENT_TITLE']?.trim() || TITLE;
    setMatchTimes(database.gatesUrl, { eventId, title, gatesOpenMs }).catch((error: unknown) =>
      say(`The desk does not know when the match begins: ${errorMessage(error)}`),
    );
  });
  spectators.once('exit', (code, killedBy) => {
    if (stopping.signal.aborted) return;
    if (code === 0) say(`The board stays at ${url} until Ctrl-C.`);
    else {
      const why = killedBy === null ? 'as said above' : `by ${killedBy}`;
      say(
        `The spectators stopped, ${why}; the board stays until Ctrl-C. With another EVENT_ID, or after ` +
          `"rm -r ${database.dataDir}", the demo begins afresh.`,
      );
    }
  });
  const failure = await Promise.race([stopAsked, observing.then(() => stopAsked)]).catch(errorMessage);
  stopping.abort();
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
  const DESK_KEY = process.env['DESK_KEY']?.trim() || randomBytes(12).toString('hex');
  const env: NodeJS.ProcessEnv = { ...process.env, DATABASE_URL: undefined, DESK_KEY };
  const config = readConfig(env);
  const { embedded } = config;
  if (!embedded) throw new Error('unreachable: DATABASE_URL was taken away');
  return {
    ...config,
    demo: true,
    title: env['EVENT_TITLE']?.trim() ? config.title : titleOf(TITLE),
    // Any free port, unless one is asked for: npm start may be running beside the demo.
    embedded: {
      ...embedded,
      subfolder: 'demo',
      port: env['EMBEDDED_DATABASE_PORT'] ? embedded.port : 0,
    },
  };
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
