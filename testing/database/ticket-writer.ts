import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { closeOnce } from '../close-once.ts';
import type { Commit } from './oracle.ts';

export interface TicketWriter {
  /** What was acknowledged: of the ticket `first`, of the one after it, and so on. */
  stop(): Promise<readonly Commit[]>;
}

export interface TicketWriterOptions {
  /** Connection strings of the gates' role. A write that one refuses is tried at the next one. */
  readonly urls: readonly string[];
  /** The prefix of the ids; default: `t`. */
  readonly prefix?: string;
  /** The number of the first ticket: t0, t1 … */
  readonly first?: number;
  readonly everyMs?: number | undefined;
}

/** Lets tickets enter, one commit after the other (ticket-writer.mjs). */
export function startTicketWriter({
  urls,
  prefix = 't',
  first = 0,
  everyMs = 5,
}: TicketWriterOptions): TicketWriter {
  const workerData = { urls, eventId: DEFAULT_EVENT_ID, prefix, first, everyMs };
  const writer = new Worker(new URL('ticket-writer.mjs', import.meta.url), { workerData });
  const written = once(writer, 'message') as Promise<[Commit[]]>;
  let commits: Promise<readonly Commit[]> | undefined;
  const stop = (): Promise<readonly Commit[]> => {
    writer.postMessage('stop', []);
    return (commits ??= written.then(([all]) => all));
  };
  closeOnce(() => writer.terminate());
  return { stop };
}
