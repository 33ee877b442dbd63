import { isEventId } from '../../domain/event.ts';
import { type KeptReason, OutcomeCounts, type RefusedReason } from './request-outcome.ts';

/** How many messages of an event were refused for one reason. */
export interface RefusedCount {
  readonly eventId: string;
  readonly reason: RefusedReason;
  readonly count: number;
}

interface EventActivity {
  requests: number;
  /** By the status of the answer, of those that were no success. */
  readonly failed: Map<number, number>;
  readonly counts: OutcomeCounts;
  dropped: number;
}

const EVERY_MS = 60_000;
/** Of the events that clients name, which need not be there. */
const MAX_EVENTS = 1_000;

/** What was done: said each minute, by event, as a line for each request would be thousands in a second. */
export class Activity {
  /** Since the start. */
  readonly totals = new OutcomeCounts();
  /** How many readings wait for their tickets in the database, as of the last look. */
  readonly waiting = new Map<KeptReason, number>();
  readonly #byEvent = new Map<string, EventActivity>();
  #refused = new Map<string, RefusedCount>();
  readonly #say: (line: string) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(say: (line: string) => void, everyMs = EVERY_MS) {
    this.#say = say;
    this.#timer = setInterval(() => this.#tell(), everyMs).unref();
  }

  note(eventId: string, outcome: OutcomeCounts): void {
    this.totals.addCounts(outcome);
    for (const [reason, count] of Object.entries(outcome.refused)) {
      this.noteRefused({ eventId, reason: reason as RefusedReason, count });
    }
    this.#of(eventId)?.counts.addCounts(outcome);
  }

  /** Logs the first of each minute at once, and their number with the minute. */
  noteDropped(eventId: string, count: number): void {
    const of = this.#of(eventId);
    if (of?.dropped === 0) {
      this.#say(
        `event ${eventId}: too many readings wait for their tickets ("gates -- kept" lists them); the oldest ones are dropped`,
      );
    }
    if (of) of.dropped += count;
  }

  noteAnswer(eventId: string, status: number): void {
    const of = this.#of(eventId);
    if (!of) return;
    of.requests += 1;
    if (status >= 400) of.failed.set(status, (of.failed.get(status) ?? 0) + 1);
  }

  noteRefused({ eventId, reason, count }: RefusedCount): void {
    const key = `${eventId} ${reason}`;
    const before = this.#refused.get(key);
    if (!before && this.#refused.size === MAX_EVENTS) return;
    this.#refused.set(key, { eventId, reason, count: count + (before?.count ?? 0) });
  }

  /** Those since it was asked last. */
  takeRefused(): RefusedCount[] {
    const taken = [...this.#refused.values()];
    this.#refused = new Map();
    return taken;
  }

  /** Says what has not been said yet. */
  stop(): void {
    clearInterval(this.#timer);
    this.#tell();
  }

  #of(eventId: string): EventActivity | undefined {
    const known = this.#byEvent.get(eventId);
    if (known || !isEventId(eventId) || this.#byEvent.size === MAX_EVENTS) return known;
    const none = { requests: 0, failed: new Map(), counts: new OutcomeCounts(), dropped: 0 };
    this.#byEvent.set(eventId, none);
    return none;
  }

  #tell(): void {
    for (const [eventId, activity] of this.#byEvent) this.#say(`event ${eventId}: ${describe(activity)}`);
    this.#byEvent.clear();
  }
}

function describe({ requests, failed, counts: of, dropped }: EventActivity): string {
  const { kept: _kept, refused: _refused, ...done } = of.counts;
  const counts: [string, number][] = [
    ['requests', requests],
    ...Object.entries(done),
    ...Object.entries(of.kept).map(([reason, count]): [string, number] => [`kept (${reason})`, count]),
    ...Object.entries(of.refused).map(([reason, count]): [string, number] => [`refused (${reason})`, count]),
    ['ahead of the clock', of.ahead],
    ['kept before and applied now', of.released],
    ['kept before and dropped', dropped],
    ...[...failed].map(([status, count]): [string, number] => [`answered ${status}`, count]),
  ];
  return counts.flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : [])).join(', ');
}
