import { MAX_REQUESTS } from './limits.ts';
import { type Refusal, unavailable } from './refusal.ts';
import type { RequestOutcome } from './request-outcome.ts';
import type { TicketRequest } from './write-requests.ts';

/** A request that waits for its commit. */
export interface Waiting {
  readonly request: TicketRequest;
  readonly settle: (result: RequestOutcome | Error) => void;
}

/** What one commit takes from several requests together. */
const MAX_GROUP_MESSAGES = 1_000;
/** A body of more has a commit of its own, and leaves a writer for the others. */
const MAX_SMALL_MESSAGES = 200;

interface Taker {
  readonly takesLarge: boolean;
  readonly take: (group: readonly Waiting[] | undefined) => void;
}

/**
 * Between the requests and the writers: what has come in while a writer was at it goes into its next commit, so that
 * many single tickets share one. Each group is of one event. While it is closed, requests are refused at once.
 */
export class CommitQueue {
  #waiting: Waiting[] = [];
  #takers: Taker[] = [];
  #closedBecause: Refusal | undefined;
  #isScheduled = false;
  #underWay = 0;

  /** Resolves once the request is committed, with what it did. Rejects with why it was not, or that this is not known. */
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
      this.#waiting.push({ request, settle });
      this.#schedule();
    });
  }

  /** For a writer: what it is to commit next; undefined once `stop` aborts. */
  next(takesLarge: boolean, stop: AbortSignal): Promise<readonly Waiting[] | undefined> {
    return new Promise((resolve) => {
      if (stop.aborted) {
        resolve(undefined);
        return;
      }
      const taker: Taker = {
        takesLarge,
        take: (group) => {
          stop.removeEventListener('abort', leave);
          resolve(group);
        },
      };
      const leave = (): void => {
        this.#takers = this.#takers.filter((other) => other !== taker);
        resolve(undefined);
      };
      stop.addEventListener('abort', leave, { once: true });
      this.#takers.push(taker);
      this.#schedule();
    });
  }

  /** Refuses all that wait and all that come, until it is opened. */
  close(because: Refusal): void {
    this.#closedBecause = because;
    for (const { settle } of this.#waiting.splice(0)) settle(because);
  }

  open(): void {
    this.#closedBecause = undefined;
  }

  get closedBecause(): Refusal | undefined {
    return this.#closedBecause;
  }

  /** Once for all that has come in together. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#takers = this.#takers.filter((taker) => {
        const group = this.#takeGroup(taker.takesLarge);
        if (group) taker.take(group);
        return !group;
      });
    });
  }

  #takeGroup(takesLarge: boolean): readonly Waiting[] | undefined {
    const first = this.#waiting.findIndex(({ request }) => takesLarge || isSmall(request));
    const head = this.#waiting[first];
    if (!head) return undefined;
    if (!isSmall(head.request)) return this.#waiting.splice(first, 1);
    let messages = 0;
    const group: Waiting[] = [];
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

function isSmall(request: TicketRequest): boolean {
  return sizeOf(request) <= MAX_SMALL_MESSAGES;
}

export function sizeOf({ messages, released }: TicketRequest): number {
  return messages.length + released.length;
}
