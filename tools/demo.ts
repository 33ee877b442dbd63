import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { inspect } from 'node:util';
import { pino } from 'pino';
import type { Venue } from '../domain/venue.ts';
import type { GatesOpen } from '../gates/simulator/simulate.ts';
import { CommandLineEnd } from '../server/command-line.ts';
import { errorMessage } from '../database/setup-error.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { startAllInOne } from '../server/roles/all-in-one.ts';
import type { Triagem } from '../server/roles/triagem.ts';
import type { DemoTickets } from './demo/demo-tickets.ts';
import { deskLink } from './demo/desk-link.ts';
import { openEmbeddedTickets } from './demo/embedded-tickets.ts';
import { MatchClock } from './demo/match-clock.ts';
import { type DemoOptions, incidentsAt, readOptions } from './demo/options.ts';

/** `npm run demo`: a board with its own tickets, and spectators that come in. Everything stops within 5 s. */

const SPECTATORS_STOP_LIMIT_MS = 1_000;
const STOP_LIMIT_MS = 4_800;

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof CommandLineEnd) return error.say();
  print(error instanceof OperatorError ? error.message : inspect(error));
  return 1;
});

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
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
  const clock = new MatchClock(Number(options.speed));
  let tickets: DemoTickets | undefined;
  let board: Triagem;
  try {
    tickets = await openTickets(options, stopping.signal);
    print('Starting the demonstration...');
    board = await startAllInOne(tickets.config, pino({ level: 'warn', base: null }, process.stderr), {
      ...tickets.overrides,
      flowClock: clock.read,
      signal: stopping.signal,
    });
  } catch (error) {
    await tickets?.stop();
    // Everything that had been started is stopped.
    if (stopping.signal.aborted) return 0;
    throw error;
  }
  greet(board, tickets);
  const spectators = tickets.admit(board);
  const spectatorsEnded = once(spectators, 'exit');
  watch(spectators, { board, tickets, clock, signal: stopping.signal });
  const failure = await Promise.race([stopAsked, board.observing.then(() => stopAsked)]).catch(errorMessage);
  stopping.abort();
  print('Stopping...');
  // On Ctrl-C the terminal has sent the spectators SIGINT already; a second signal does no harm.
  spectators.kill('SIGTERM');
  const limit = setTimeout(() => spectators.kill('SIGKILL'), SPECTATORS_STOP_LIMIT_MS);
  await spectatorsEnded;
  clearTimeout(limit);
  await board.stop();
  await tickets.stop();
  if (failure === undefined) return 0;
  print(failure);
  return 1;
}

async function openTickets(options: DemoOptions, signal: AbortSignal): Promise<DemoTickets> {
  const { speed, firestoreTickets } = options;
  const opened = { speed, incidentsAt: (venue: Venue) => incidentsAt(venue, options), signal, print };
  if (firestoreTickets === undefined) return openEmbeddedTickets(opened);
  // A production build lacks the packages of this demo.
  const { openFirestoreTickets } = await import('./demo/firestore/firestore-tickets.ts');
  return openFirestoreTickets({ ...opened, tickets: firestoreTickets });
}

function greet({ url }: Triagem, { config, description }: DemoTickets): void {
  const ownKey = process.env['DESK_KEY']?.trim() ? undefined : config.deskKey;
  const desk = ownKey === undefined ? `${url}/fluxo` : deskLink(url, ownKey);
  const key = ownKey ?? 'that of DESK_KEY';
  print(
    `\n  The board:  ${url}\n  The desk:   ${desk}\n  Desk key:   ${key}\n${description}  Ctrl-C stops everything.\n`,
  );
}

interface Watching {
  readonly board: Triagem;
  readonly tickets: DemoTickets;
  readonly clock: MatchClock;
  readonly signal: AbortSignal;
}

/** Sets the match times when the gates open, and reports how the spectators end. */
function watch(spectators: ChildProcess, { board, tickets, clock, signal }: Watching): void {
  spectators.on('message', ({ gatesOpenAtMs }: GatesOpen) => {
    tickets
      .setGatesOpen(clock.open(gatesOpenAtMs, Date.now()))
      .catch((error: unknown) =>
        print(`The desk does not know when the match begins: ${errorMessage(error)}`),
      );
  });
  spectators.once('exit', (code, killedBy) => {
    if (signal.aborted) return;
    if (code === 0) {
      print(`The board stays at ${board.url} until Ctrl-C.`);
      return;
    }
    const why = killedBy === null ? 'as reported above' : `by ${killedBy}`;
    print(`The spectators stopped, ${why}; the board stays until Ctrl-C. ${tickets.remedy}`.trimEnd());
  });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
