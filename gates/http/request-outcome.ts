import { MAX_LISTED_ERRORS, MAX_LISTED_WITHOUT_EFFECT } from './limits.ts';
import { type MessageNote, Refusal } from './refusal.ts';

/** What a kept message waits for: its ticket, its event, or an event that takes real tickets. */
export type KeptReason = 'ticket' | 'event' | 'simulated' | 'database';
/** What is wrong with a refused message: its fields, its time, or the database's constraints and triggers. */
export type RefusedReason = (typeof REFUSED_REASONS)[number];
export const REFUSED_REASONS = ['message', 'time', 'database'] as const;

type Outcome = 'applied' | 'created' | 'unchanged' | 'older' | 'kept' | 'refused';

/** In the order in which an answer lists them. */
const WITHOUT_EFFECT = ['refused', 'kept', 'older', 'unchanged'] as const;

/** A message that changed nothing, or nothing yet. */
interface WithoutEffect extends MessageNote {
  readonly outcome: (typeof WITHOUT_EFFECT)[number];
  /** The newest time of the ticket, where the outcome is `older`. */
  readonly lastAt?: string;
}

/** Of a refused message. */
export interface Fault {
  readonly reason: RefusedReason;
  readonly detail: string;
  /** As it was sent; undefined where the message has none, or cannot be read. */
  readonly gate: unknown;
}

/** Counts each message once, by its outcome. */
export class OutcomeCounts {
  readonly counts: Record<Outcome, number> = {
    applied: 0,
    created: 0,
    unchanged: 0,
    older: 0,
    kept: 0,
    refused: 0,
  };
  readonly kept: Partial<Record<KeptReason, number>> = {};
  readonly refused: Partial<Record<RefusedReason, number>> = {};
  ahead = 0;
  /** Counts kept readings that were applied to their tickets. */
  released = 0;

  get messages(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  addCounts(other: OutcomeCounts): void {
    add(this.counts, other.counts);
    add(this.kept, other.kept);
    add(this.refused, other.refused);
    this.ahead += other.ahead;
    this.released += other.released;
  }
}

export class RequestOutcome extends OutcomeCounts {
  /** The first message that was refused. */
  fault: Fault | undefined;
  readonly #listed: Record<WithoutEffect['outcome'], WithoutEffect[]> = {
    refused: [],
    kept: [],
    older: [],
    unchanged: [],
  };

  done(outcome: 'applied' | 'created'): void {
    this.counts[outcome] += 1;
  }

  withoutEffect(message: WithoutEffect): void {
    this.counts[message.outcome] += 1;
    this.#list(message);
  }

  /** `more` goes on with the words for the reason. */
  keep(reason: KeptReason, message: Omit<WithoutEffect, 'outcome' | 'detail'>, more = ''): void {
    this.kept[reason] = (this.kept[reason] ?? 0) + 1;
    this.withoutEffect({ ...message, outcome: 'kept', detail: `${KEPT_WORDS[reason]}${more}` });
  }

  refuse(
    reason: RefusedReason,
    message: Omit<WithoutEffect, 'outcome'> & { readonly detail: string },
    readGate: () => unknown = () => undefined,
  ): void {
    this.fault ??= { reason, detail: message.detail, gate: readGate() };
    this.refused[reason] = (this.refused[reason] ?? 0) + 1;
    this.withoutEffect({ ...message, outcome: 'refused' });
  }

  /** Adds the outcome of other messages of the same request. */
  add(other: RequestOutcome): void {
    this.addCounts(other);
    this.fault ??= other.fault;
    for (const outcome of WITHOUT_EFFECT) other.#listed[outcome].forEach((message) => this.#list(message));
  }

  /** The answer to the client, as openapi.ts documents it. */
  toSummary() {
    const all = WITHOUT_EFFECT.flatMap((outcome) => inOrder(this.#listed[outcome]));
    const withoutEffect = all.slice(0, MAX_LISTED_WITHOUT_EFFECT);
    const count = WITHOUT_EFFECT.reduce((sum, outcome) => sum + this.counts[outcome], 0);
    return {
      messages: this.messages,
      ...this.counts,
      ahead: this.ahead,
      withoutEffect,
      withoutEffectOmitted: count - withoutEffect.length,
    };
  }

  /** Returns the answer where every message was refused, else undefined. */
  toRefusal(): Refusal | undefined {
    const count = this.counts.refused;
    if (count === 0 || count < this.messages) return undefined;
    const errors = inOrder(this.#listed.refused)
      .slice(0, MAX_LISTED_ERRORS)
      .map(({ outcome: _outcome, ...error }) => error);
    const listed = count > errors.length ? ` The first ${errors.length} are listed.` : '';
    const isOurs = this.refused.database !== undefined;
    const what = isOurs ? 'refused by the database' : 'wrong';
    const detail = `Nothing was changed: ${count === 1 ? `1 message is ${what}` : `${count} messages are ${what}`}.${listed}`;
    return new Refusal(isOurs ? 409 : 422, detail, { errors: { count, first: errors } });
  }

  #list(message: WithoutEffect): void {
    const listed = this.#listed[message.outcome];
    if (listed.length < MAX_LISTED_WITHOUT_EFFECT) listed.push(message);
  }
}

/** The reasons in words, for answers and for `gates -- kept`. */
export const KEPT_WORDS: Readonly<Record<KeptReason, string>> = {
  ticket: 'no ticket of this event has this id',
  event: 'there is no such event here',
  simulated: 'the event has simulated tickets, and takes no others',
  database: 'the database refuses to change its ticket, and is asked again every minute',
};

function add<K extends string>(to: Partial<Record<K, number>>, counts: Partial<Record<K, number>>): void {
  for (const [key, count] of Object.entries(counts) as [K, number][]) to[key] = (to[key] ?? 0) + count;
}

function inOrder(messages: readonly WithoutEffect[]): WithoutEffect[] {
  return messages.toSorted((one, other) => one.message - other.message);
}
