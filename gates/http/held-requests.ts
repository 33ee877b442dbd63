import { isSmall, MAX_GROUP_MESSAGES, type QueuedRequest, sizeOf } from './queued-request.ts';
import { unavailable } from './refusal.ts';
import { RequestOutcome } from './request-outcome.ts';
import type { TicketRequest, Written } from './write-requests.ts';

const TRIED_EVERY_MS = 50;
/** A gate system's transaction takes less. Beyond that the client sends the messages again. */
const HELD_FOR_MS = 5_000;
/** The program may hold more tickets than those that somebody sends just now. */
const WARNED_FOR_MS = 30_000;

export const LOCKED = 'Another program holds one of these tickets in an open transaction.';
const UNCHANGED = 'Nothing was changed.';
const OTHERS_WRITTEN = 'The others are written: send all of them again.';
const HOLDERS =
  'select pid, application_name, xact_start from pg_stat_activity where backend_xid is not null order by xact_start';
const PREPARED = 'select * from pg_prepared_xacts';
const WARNING = `another program holds tickets in an open transaction, and messages about them are answered 503: "${HOLDERS}", or "${PREPARED}", shows which; end it`;

/** The requests of one event, in the order of their arrival. */
interface Lane {
  readonly requests: HeldRequest[];
  /** The group that a writer has. */
  underWay: readonly QueuedRequest[] | undefined;
  isDue: boolean;
  isScheduled: boolean;
}

interface HeldRequest extends QueuedRequest {
  /** What is left of it. */
  request: TicketRequest;
  readonly sinceMs: number;
  /** What became of the rest. */
  readonly written: RequestOutcome;
}

/**
 * Holds requests about tickets that another program has locked, and has them tried again and again, so that none keeps a writer
 * waiting. What comes meanwhile about one of their tickets waits behind them.
 */
export class HeldRequests {
  readonly #lanes = new Map<string, Lane>();
  readonly #onDue: () => void;
  #refusedAtMs = -Infinity;

  /** `onDue` is called when `take` has a group. */
  constructor(onDue: () => void) {
    this.#onDue = onDue;
  }

  /** What is wrong, if tickets have been held for too long; undefined where nothing is. */
  get warning(): string | undefined {
    return performance.now() - this.#refusedAtMs < WARNED_FOR_MS ? WARNING : undefined;
  }

  /** Whether the request is about a ticket that others wait for already. */
  isBehind({ eventId, messages }: TicketRequest): boolean {
    const lane = this.#lanes.get(eventId);
    if (!lane) return false;
    const ids = new Set(lane.requests.flatMap(({ request }) => request.messages.map(({ id }) => id)));
    return messages.some(({ id }) => ids.has(id));
  }

  /** Takes a new request. `written`: what became of the messages that it no longer has. */
  add({ request, settle }: QueuedRequest, written = new RequestOutcome()): void {
    const lane = this.#laneOf(request.eventId);
    const held: HeldRequest = {
      request,
      sinceMs: performance.now(),
      written,
      settle: (result) => {
        lane.requests.splice(lane.requests.indexOf(held), 1);
        if (result instanceof Error) {
          const isPartlyWritten = written.messages > 0;
          settle(isPartlyWritten ? unavailable(result.message.replace(UNCHANGED, OTHERS_WRITTEN)) : result);
        } else {
          written.add(result);
          settle(written);
        }
      },
    };
    lane.requests.push(held);
  }

  /** Takes a request back of which a writer has written all but the messages about locked tickets. */
  keep(queued: QueuedRequest, { outcome, locked }: Written): void {
    const { request, settle } = queued;
    const left = { ...request, messages: locked, released: [] };
    const held = this.#lanes.get(request.eventId)?.requests.find((each) => each === queued);
    if (!held) {
      this.add({ request: left, settle }, outcome);
      return;
    }
    held.written.add(outcome);
    held.request = left;
    if (performance.now() - held.sinceMs < HELD_FOR_MS) return;
    this.#refusedAtMs = performance.now();
    held.settle(unavailable(`${LOCKED} ${UNCHANGED}`));
  }

  /** Returns the requests that are due, of one event; undefined where none are. */
  take(takesLarge: boolean): readonly QueuedRequest[] | undefined {
    for (const lane of this.#lanes.values()) {
      const [first] = lane.requests;
      if (!first || lane.underWay || !lane.isDue) continue;
      if (!takesLarge && !isSmall(first.request)) continue;
      let messages = 0;
      const end = lane.requests.findIndex(
        ({ request }) => (messages += sizeOf(request)) > MAX_GROUP_MESSAGES,
      );
      lane.isDue = false;
      lane.underWay = end < 0 ? [...lane.requests] : lane.requests.slice(0, Math.max(1, end));
      return lane.underWay;
    }
    return undefined;
  }

  /** A writer is done with a group, whichever it is. */
  done(group: readonly QueuedRequest[]): void {
    for (const [eventId, lane] of this.#lanes) {
      if (lane.underWay === group) lane.underWay = undefined;
      if (lane.underWay) continue;
      if (lane.requests.length === 0) this.#lanes.delete(eventId);
      else this.#tryLater(lane);
    }
  }

  /** Refuses all that no writer has. */
  refuse(because: Error): void {
    for (const { requests, underWay = [] } of this.#lanes.values())
      for (const held of requests.filter((each) => !underWay.includes(each))) held.settle(because);
  }

  #laneOf(eventId: string): Lane {
    const lane = this.#lanes.get(eventId) ?? {
      requests: [],
      underWay: undefined,
      isDue: false,
      isScheduled: false,
    };
    this.#lanes.set(eventId, lane);
    return lane;
  }

  #tryLater(lane: Lane): void {
    if (lane.isDue || lane.isScheduled) return;
    lane.isScheduled = true;
    setTimeout(() => {
      lane.isScheduled = false;
      lane.isDue = true;
      this.#onDue();
    }, TRIED_EVERY_MS);
  }
}
