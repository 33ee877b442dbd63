import { HeldRequests } from './held-requests.ts';
import { MAX_REQUESTS } from './limits.ts';
import { isSmall, MAX_GROUP_MESSAGES, type QueuedRequest, sizeOf } from './queued-request.ts';
import { type Refusal, unavailable } from './refusal.ts';
import type { RequestOutcome } from './request-outcome.ts';
import type { TicketRequest, Written } from './write-requests.ts';

/** Some writes of a full disk succeed, so that one success does not mean that messages are written again. */
const FAILING_MS = 30_000;

interface IdleWriter {
  readonly takesLarge: boolean;
  readonly take: (group: readonly QueuedRequest[] | undefined) => void;
}

/**
 * Stands between requests and writers. Requests that arrive while a writer commits share its next commit; a commit is of
 * one event. While the queue is closed, it refuses requests at once.
 */
export class CommitQueue {
  #waiting: QueuedRequest[] = [];
  readonly #held = new HeldRequests(() => this.#schedule());
  #idleWriters: IdleWriter[] = [];
  #closedBecause: Refusal | undefined;
  #lastFailure: { readonly because: Refusal; readonly atMs: number } | undefined;
  #isScheduled = false;
  #underWay = 0;

  /** Resolves with the outcome after the commit. Rejects with a Refusal if nothing was committed, or nobody knows. */
  submit(request: TicketRequest): Promise<RequestOutcome> {
    return new Promise((resolve, reject) => {
      if (this.#closedBecause) {
        reject(this.#closedBecause);
        return;
      }
      if (this.#underWay >= MAX_REQUESTS) {
        reject(unavailable('Too many requests wait to be written.'));
        return;
      }
      this.#underWay += 1;
      const settle = (result: RequestOutcome | Error): void => {
        this.#underWay -= 1;
        if (result instanceof Error) reject(result);
        else resolve(result);
      };
      if (this.#held.isBehind(request)) this.#held.add({ request, settle });
      else this.#waiting.push({ request, settle });
      this.#schedule();
    });
  }

  /** Resolves with what the calling writer commits next; with undefined once `stop` aborts. */
  next(takesLarge: boolean, stop: AbortSignal): Promise<readonly QueuedRequest[] | undefined> {
    return new Promise((resolve) => {
      if (stop.aborted) {
        resolve(undefined);
        return;
      }
      const writer: IdleWriter = {
        takesLarge,
        take: (group) => {
          stop.removeEventListener('abort', leave);
          resolve(group);
        },
      };
      const leave = (): void => {
        this.#idleWriters = this.#idleWriters.filter((other) => other !== writer);
        resolve(undefined);
      };
      stop.addEventListener('abort', leave, { once: true });
      this.#idleWriters.push(writer);
      this.#schedule();
    });
  }

  /** Answers a request that was written, but for messages about tickets that another program has locked: these wait. */
  finish(queued: QueuedRequest, written: Written): void {
    if (written.locked.length === 0) queued.settle(written.outcome);
    else this.#held.keep(queued, written);
  }

  /** A writer is done with a group of `next`. */
  done(group: readonly QueuedRequest[]): void {
    this.#held.done(group);
  }

  /** Refuses all requests, the waiting ones included, until `open`. */
  close(because: Refusal): void {
    this.#closedBecause = because;
    for (const { settle } of this.#waiting.splice(0)) settle(because);
    this.#held.refuse(because);
  }

  open(): void {
    this.#closedBecause = undefined;
  }

  /** Notes that the database failed to write a request for a reason that another one may meet, too. */
  noteFailure(because: Refusal): void {
    this.#lastFailure = { because, atMs: performance.now() };
  }

  /** What is wrong with tickets that another program holds; undefined where nothing is. */
  get warning(): string | undefined {
    return this.#held.warning;
  }

  /** Why requests are refused, or were a moment ago, as by a full disk; undefined while they are written. */
  get notWritingBecause(): Refusal | undefined {
    if (this.#closedBecause) return this.#closedBecause;
    const isFailing = this.#lastFailure && performance.now() - this.#lastFailure.atMs < FAILING_MS;
    return isFailing ? this.#lastFailure?.because : undefined;
  }

  /** Groups once for all requests that arrived together. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#idleWriters = this.#idleWriters.filter((writer) => {
        const group = this.#held.take(writer.takesLarge) ?? this.#takeGroup(writer.takesLarge);
        if (group) writer.take(group);
        return !group;
      });
    });
  }

  #takeGroup(takesLarge: boolean): readonly QueuedRequest[] | undefined {
    const first = this.#waiting.findIndex(({ request }) => takesLarge || isSmall(request));
    const head = this.#waiting[first];
    if (!head) return undefined;
    if (!isSmall(head.request)) return this.#waiting.splice(first, 1);
    let messages = 0;
    const group: QueuedRequest[] = [];
    this.#waiting = this.#waiting.filter((waiting) => {
      const { request } = waiting;
      const fits =
        isSmall(request) &&
        request.eventId === head.request.eventId &&
        messages + sizeOf(request) <= MAX_GROUP_MESSAGES;
      if (!fits) return true;
      messages += sizeOf(request);
      group.push(waiting);
      return false;
    });
    return group;
  }
}
