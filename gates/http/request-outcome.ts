import { MAX_LISTED_ERRORS, MAX_LISTED_WITHOUT_EFFECT } from './limits.ts';
import { Refusal } from './refusal.ts';

/** Why a message waits for its ticket. */
export type KeptReason = 'ticket' | 'event' | 'simulated';
/** Why a message changes nothing, whenever it is sent: what it says, its time, or what the database says against it. */
export type RefusedReason = 'message' | 'time' | 'database';

/** What became of a message. */
type Outcome = 'applied' | 'created' | 'unchanged' | 'older' | 'kept' | 'refused';

/** In the order in which an answer lists them. */
const WITHOUT_EFFECT = ['refused', 'kept', 'older', 'unchanged'] as const;

/** A message that changed nothing, or nothing yet. */
export interface WithoutEffect {
  /** Which message of the body, from 1 on. */
  readonly message: number;
  /** The line of the body in which it begins, from 1 on. */
  readonly line: number;
  /** Absent where it could not be read. */
  readonly id?: string;
  readonly outcome: (typeof WITHOUT_EFFECT)[number];
  /** Why it was refused, or is kept. */
  readonly detail?: string;
  /** Of one that is older: of what. */
  readonly lastAt?: string;
}

/** What a request did: every message is counted once. */
export interface Summary extends Readonly<Record<Outcome, number>> {
  readonly messages: number;
  /** Of those that were applied, created, unchanged or kept: how many had a time ahead of our clock. */
  readonly ahead: number;
  /** Those that changed nothing: refused, kept, older and unchanged ones, in this order. */
  readonly withoutEffect: readonly WithoutEffect[];
  /** How many more of them there were. */
  readonly withoutEffectOmitted: number;
}

/** What became of messages. */
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
  /** Messages of tickets that another program holds: they are to be sent again. */
  held = 0;
  /** Readings that had been kept, and whose tickets were there now. */
  released = 0;

  get messages(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  addCounts(other: OutcomeCounts): void {
    add(this.counts, other.counts);
    add(this.kept, other.kept);
    add(this.refused, other.refused);
    this.ahead += other.ahead;
    this.held += other.held;
    this.released += other.released;
  }
}

/** What becomes of the messages of a request, one after the other. */
export class RequestOutcome extends OutcomeCounts {
  readonly #listed: Record<WithoutEffect['outcome'], WithoutEffect[]> = {
    refused: [],
    kept: [],
    older: [],
    unchanged: [],
  };

  /** It had its effect. */
  done(outcome: 'applied' | 'created'): void {
    this.counts[outcome] += 1;
  }

  withoutEffect(message: WithoutEffect): void {
    this.counts[message.outcome] += 1;
    this.#list(message);
  }

  keep(reason: KeptReason, message: Omit<WithoutEffect, 'outcome' | 'detail'>): void {
    this.kept[reason] = (this.kept[reason] ?? 0) + 1;
    this.withoutEffect({ ...message, outcome: 'kept', detail: KEPT_WORDS[reason] });
  }

  refuse(reason: RefusedReason, message: Omit<WithoutEffect, 'outcome'>): void {
    this.refused[reason] = (this.refused[reason] ?? 0) + 1;
    this.withoutEffect({ ...message, outcome: 'refused' });
  }

  /** Of other messages of the same request. */
  add(other: RequestOutcome): void {
    this.addCounts(other);
    for (const outcome of WITHOUT_EFFECT) other.#listed[outcome].forEach((message) => this.#list(message));
  }

  toSummary(): Summary {
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

  /** Where every message was refused: the answer to that. */
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

/** What an answer says of a message that is kept, and `gates -- kept` of a reading. */
export const KEPT_WORDS: Readonly<Record<KeptReason, string>> = {
  ticket: 'no ticket of this event has this id',
  event: 'there is no such event here',
  simulated: 'the event has simulated tickets, and takes no others',
};

function add<K extends string>(to: Partial<Record<K, number>>, counts: Partial<Record<K, number>>): void {
  for (const [key, count] of Object.entries(counts) as [K, number][]) to[key] = (to[key] ?? 0) + count;
}

function inOrder(messages: readonly WithoutEffect[]): WithoutEffect[] {
  return messages.toSorted((one, other) => one.message - other.message);
}
