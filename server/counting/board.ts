import { performance } from 'node:perf_hooks';
import type { LiveMessage, SectorDocument, StaleReason } from '../../domain/live-message.ts';
import { type Counts, Tally } from '../../domain/tally.ts';
import type { FanOut } from '../fan-out/fan-out.ts';
import type { FeedObserver, ObservedTicket, Snapshot, TicketChange } from '../observing/ticket-feed.ts';

/** How many tickets an event has. */
export interface EventSize {
  readonly eventId: string;
  readonly tickets: number;
}

/**
 * Keeps the counts of every event and publishes those of one. What is published is always the state at a
 * commit: changes are counted as they come, and shown when their commit does.
 */
export class Board implements FeedObserver {
  readonly #eventId: string;
  readonly #fanOut: FanOut;
  #tallies = new Map<string, Tally>();
  #epoch = '';
  #version = 0;
  #committed: Counts | undefined;
  #hasTickets = false;
  #touched = false;
  /** Changes have come whose commit has not. */
  #isReading = false;
  #eventsInstead: EventSize[] = [];

  constructor(eventId: string, fanOut: FanOut) {
    this.#eventId = eventId;
    this.#fanOut = fanOut;
    this.stale('connecting', performance.now());
  }

  /** The counts at the last commit that was told; `undefined` before the first snapshot. */
  get counts(): Counts | undefined {
    return this.#committed;
  }

  /** The events that have tickets, while the one that is shown has none; the largest first. */
  get eventsInstead(): EventSize[] {
    if (!this.#committed || this.#hasTickets) return [];
    // While a commit is being read, it is what was so before.
    if (this.#isReading) return this.#eventsInstead;
    this.#eventsInstead = [...this.#tallies]
      .map(([eventId, { tickets }]) => ({ eventId, tickets }))
      .filter(({ eventId, tickets }) => tickets > 0 && eventId !== this.#eventId)
      .toSorted((a, b) => b.tickets - a.tickets);
    return this.#eventsInstead;
  }

  snapshot(snapshot: Snapshot): void {
    this.#tallies = new Map();
    for (const { eventId, ticket, count } of snapshot.groups) this.#tally(eventId).add(ticket, count);
    this.#epoch = snapshot.epoch;
    this.#version = 0;
    this.#isReading = false;
    this.#publishCounts();
    this.sectors(snapshot.sectors);
  }

  change({ before, after }: TicketChange): void {
    this.#isReading = true;
    if (before) this.#count(before, -1);
    if (after) this.#count(after, 1);
  }

  truncate(): void {
    this.#tallies = new Map();
    this.#touched = true;
  }

  commit(): void {
    this.#isReading = false;
    if (!this.#touched) return;
    this.#version += 1;
    this.#publishCounts();
  }

  sectors(documents: readonly SectorDocument[]): void {
    this.#publish({ event: 'sectors', data: documents });
  }

  live(): void {
    this.#publish({ event: 'source', data: { live: true } });
  }

  stale(reason: StaleReason, sinceMs: number): void {
    // The age is that of the moment of sending.
    this.#fanOut.publish('source', () => {
      const ageMs = Math.max(0, Math.round(performance.now() - sinceMs));
      return { event: 'source', data: { live: false, ageMs, reason } };
    });
  }

  #count(ticket: ObservedTicket, weight: number): void {
    this.#tally(ticket.eventId).add(ticket, weight);
    if (ticket.eventId === this.#eventId) this.#touched = true;
  }

  #tally(eventId: string): Tally {
    let tally = this.#tallies.get(eventId);
    if (!tally) {
      tally = new Tally();
      this.#tallies.set(eventId, tally);
    }
    return tally;
  }

  #publishCounts(): void {
    this.#touched = false;
    const tally = this.#tally(this.#eventId);
    const counts = tally.counts();
    this.#committed = counts;
    this.#hasTickets = tally.tickets > 0;
    const { total, sectors, others } = counts;
    const id = `${this.#epoch}:${this.#version}`;
    const data = { total, sectors, others };
    this.#fanOut.publish('counts', () => {
      return { event: 'counts', id, sentAtMs: Math.round(performance.now()), data };
    });
  }

  #publish(message: Extract<LiveMessage, { event: 'source' | 'sectors' }>): void {
    this.#fanOut.publish(message.event, () => message);
  }
}
