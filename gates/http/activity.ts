import { isEventId } from '../../domain/event.ts';
import { OPENAPI } from './openapi.ts';
import { RefusedWatch } from './refused-watch.ts';
import {
  type KeptReason,
  OutcomeCounts,
  type RefusedReason,
  type RequestOutcome,
} from './request-outcome.ts';
import { describeUnknownEvents, type UnknownEvents } from './unknown-events.ts';

/** How many messages of an event were refused for one reason. */
export interface RefusedCount {
  readonly eventId: string;
  readonly reason: RefusedReason;
  readonly count: number;
}

interface EventActivity {
  requests: number;
  readonly failuresByStatus: Map<number, number>;
  readonly counts: OutcomeCounts;
  dropped: number;
  /** Why the last one was not written that could have been. */
  unavailable: string | undefined;
}

const LOG_EVERY_MS = 60_000;
/** Clients name events, and may name some that do not exist. */
const MAX_EVENTS = 1_000;

/** Logs once a minute, by event, what became of messages: a line for each request would be thousands a second. */
export class Activity {
  /** Counts everything since the start. */
  readonly totals = new OutcomeCounts();
  /** Counts the answers since the start, by their status; the first of a kind is an increase, too. */
  readonly answers = new Map(
    // 405 is of every other method.
    [...Object.keys(OPENAPI.paths['/events/{eventId}/tickets'].post.responses), '405'].map((status) => [
      Number(status),
      0,
    ]),
  );
  /** Counts the readings that the database keeps, as of the last query. */
  readonly waiting = new Map<KeptReason, number>();
  /** The ID of the database that is written to, or was last; undefined before the first connection, and where it is not known. */
  databaseId: string | undefined;
  readonly refused: RefusedWatch;
  /** It is apart from the messages: whoever has no key cannot hide what is wrong with these. */
  readonly refusedRequests: RefusedWatch;
  #unknownEvents: UnknownEvents = { count: 0, readings: 0, first: [] };
  #hosts: string | undefined;
  readonly #byEvent = new Map<string, EventActivity>();
  #refused = new Map<string, RefusedCount>();
  readonly #log: (line: string) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(log: (line: string) => void, everyMs = LOG_EVERY_MS) {
    this.#log = log;
    this.refused = new RefusedWatch('message', log);
    this.refusedRequests = new RefusedWatch('request', log);
    this.#timer = setInterval(() => this.#logCounts(), everyMs).unref();
  }

  /** `address`: of the client; '' of readings that had been kept. */
  note(eventId: string, outcome: RequestOutcome, address: string): void {
    this.refused.note(eventId, outcome.fault, outcome.counts.refused, address);
    this.totals.addCounts(outcome);
    for (const [reason, count] of Object.entries(outcome.refused)) {
      this.noteRefused({ eventId, reason: reason as RefusedReason, count });
    }
    this.#activityOf(eventId)?.counts.addCounts(outcome);
  }

  /** The first drop of a minute is logged at once; their number follows with the minute's line. */
  noteDropped(eventId: string, count: number): void {
    const activity = this.#activityOf(eventId);
    if (!activity) return;
    if (activity.dropped === 0) {
      this.#log(
        `event ${eventId}: too many readings wait for their tickets ("gates -- kept" lists them); the oldest ones are dropped`,
      );
    }
    activity.dropped += count;
  }

  /** Logs when there are more of them than before, and when there are none any more. */
  noteUnknownEvents(events: UnknownEvents): void {
    const before = this.#unknownEvents.count;
    this.#unknownEvents = events;
    if (events.count > before) this.#log(`${this.#unknownWarning}.`);
    else if (events.count === 0 && before > 0) this.#log('No reading waits for its event any more.');
  }

  /** `warning`: what is wrong with the hosts that are not written to; undefined: nothing. It is logged once. */
  noteHosts(warning: string | undefined): void {
    const before = this.#hosts;
    this.#hosts = warning && `Of the hosts of GATES_DATABASE_URL, ${warning}`;
    if (this.#hosts !== undefined && this.#hosts !== before) this.#log(`${this.#hosts}.`);
  }

  /** What is wrong with other hosts, then the events that do not exist here; undefined where there is nothing. */
  get warning(): string | undefined {
    return [this.#hosts, this.#unknownWarning].filter(Boolean).join('. ') || undefined;
  }

  get #unknownWarning(): string | undefined {
    return describeUnknownEvents(this.#unknownEvents);
  }

  noteAnswer(eventId: string, status: number): void {
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
    const activity = this.#activityOf(eventId);
    if (!activity) return;
    activity.requests += 1;
    const { failuresByStatus } = activity;
    if (status >= 400) failuresByStatus.set(status, (failuresByStatus.get(status) ?? 0) + 1);
  }

  /** Its answer is noted as all others are. */
  noteUnavailable(eventId: string, why: string): void {
    const activity = this.#activityOf(eventId);
    if (activity) activity.unavailable = why;
  }

  noteRefused({ eventId, reason, count }: RefusedCount): void {
    const key = `${eventId} ${reason}`;
    const before = this.#refused.get(key);
    if (!before && this.#refused.size === MAX_EVENTS) return;
    this.#refused.set(key, { eventId, reason, count: count + (before?.count ?? 0) });
  }

  /** Returns the counts since the last call. */
  takeRefused(): RefusedCount[] {
    const taken = [...this.#refused.values()];
    this.#refused = new Map();
    return taken;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#logCounts();
  }

  #activityOf(eventId: string): EventActivity | undefined {
    const known = this.#byEvent.get(eventId);
    if (known || !isEventId(eventId) || this.#byEvent.size === MAX_EVENTS) return known;
    const none = {
      requests: 0,
      failuresByStatus: new Map(),
      counts: new OutcomeCounts(),
      dropped: 0,
      unavailable: undefined,
    };
    this.#byEvent.set(eventId, none);
    return none;
  }

  #logCounts(): void {
    for (const [eventId, activity] of this.#byEvent) this.#log(`event ${eventId}: ${describe(activity)}`);
    this.#byEvent.clear();
  }
}

function describe({ requests, failuresByStatus, counts: of, dropped, unavailable }: EventActivity): string {
  const { kept: _kept, refused: _refused, ...done } = of.counts;
  const counts: [string, number][] = [
    ['requests', requests],
    ...Object.entries(done),
    ...Object.entries(of.kept).map(([reason, count]): [string, number] => [`kept (${reason})`, count]),
    ...Object.entries(of.refused).map(([reason, count]): [string, number] => [`refused (${reason})`, count]),
    ['ahead of the clock', of.ahead],
    ['kept before and applied now', of.released],
    ['kept before and dropped', dropped],
    ...[...failuresByStatus].map(([status, count]): [string, number] => [`answered ${status}`, count]),
  ];
  const words = counts.flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : [])).join(', ');
  return unavailable === undefined ? words : `${words}; the last 503: ${unavailable.replaceAll('\n', ' ')}`;
}
