import { once } from 'node:events';
import { inspect } from 'node:util';
import { Firestore } from '@google-cloud/firestore';
import type { Venue } from '../../../domain/venue.ts';
import { parseIncident } from '../../../gates/simulator/incidents.ts';
import { letIn } from '../../../gates/simulator/let-in.ts';
import { Progress } from '../../../gates/cli/progress.ts';
import type { GatesOpen } from '../../../gates/simulator/simulate.ts';
import { generateTickets } from '../../../gates/simulator/simulated-tickets.ts';
import { stopSignal } from '../../../gates/cli/stop-signal.ts';
import { Stadium } from './stadium.ts';

/** A process that stands in for a gate system on Firestore, and writes with Google's server library. */

/** The argument of the process, as JSON. */
export interface SpectatorsOptions {
  readonly project: string;
  readonly eventId: string;
  readonly title: string;
  readonly tickets: number;
  readonly venue: Venue;
  readonly speed: number;
  readonly incidents: readonly string[];
}

/** Messages to the process: first `open`, then `times` in Unix milliseconds of the match's clock. */
export type ToSpectators =
  | { readonly kind: 'open' }
  | { readonly kind: 'times'; readonly gatesOpenMs: number };

/** The message after all tickets are written. When its gates open, the process sends `GatesOpen` (gates/simulator/simulate.ts). */
export interface TicketsLoaded {
  readonly ticketsLoaded: number;
}

// Otherwise the library looks for Google's metadata server for seconds.
process.env['METADATA_SERVER_DETECTION'] = 'none';

const stopped = stopSignal();
process.exitCode = await main(JSON.parse(process.argv[2] ?? '') as SpectatorsOptions).catch(
  (error: unknown) => {
    if (stopped.aborted) return 0;
    print(`The tickets cannot be written: ${inspect(error)}`);
    return 1;
  },
);
process.disconnect?.();

async function main(options: SpectatorsOptions): Promise<number> {
  const { project: projectId, eventId, venue, speed } = options;
  const firestore = new Firestore({ projectId });
  const stadium = new Stadium(firestore, eventId);
  const tickets = generateTickets(eventId, options.tickets, venue);
  await stadium.describe(options.title, undefined);
  await load(stadium, tickets);
  const [message] = (await once(process, 'message', { signal: stopped })) as [ToSpectators];
  if (message.kind !== 'open') throw new Error('unreachable: the gates open first');
  process.on('message', (times: ToSpectators) => {
    if (times.kind !== 'times') return;
    stadium
      .describe(options.title, times.gatesOpenMs)
      .catch((error: unknown) => print(`The desk does not know when the match begins: ${inspect(error)}`));
  });
  print(`${tickets.length} tickets sold. The gates open.`);
  const entered = await letIn(stadium.mark, {
    tickets,
    speed,
    incidents: options.incidents.map(parseIncident),
    writers: 1,
    onGatesOpen: () => send({ gatesOpenAtMs: Date.now() }),
    stopped,
  });
  print(
    stopped.aborted
      ? `Stopped with ${entered} in.`
      : `All spectators are in: ${entered} of ${tickets.length}.`,
  );
  await firestore.terminate();
  return 0;
}

async function load(stadium: Stadium, tickets: ReturnType<typeof generateTickets>): Promise<void> {
  const progress = new Progress();
  try {
    await stadium.load(tickets, stopped, (count) =>
      progress.show(() => `${count} of ${tickets.length} tickets`),
    );
  } finally {
    progress.end();
  }
  stopped.throwIfAborted();
  send({ ticketsLoaded: tickets.length });
}

function send(message: GatesOpen | TicketsLoaded): void {
  process.send?.(message);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
