import { eventOfToken, tokenOfEvent } from './event-token.ts';

const STATE_SLICES = ['counts', 'documents', 'details', 'incomplete'] as const;
export type SliceName = (typeof STATE_SLICES)[number];

/** What the subject of a state names. */
export interface StateAddress {
  readonly counter: string;
  readonly eventId: string;
  readonly slice: SliceName;
}

/** A question of an edge. */
export type Asked =
  | { readonly edge: string; readonly about: 'freshness' }
  | { readonly edge: string; readonly about: 'state'; readonly eventId: string };

/** An edge's question about the flow of an event: to the named counter, or to all. */
export interface AskedDesk {
  readonly edge: string;
  readonly eventId: string;
  readonly counter: string | undefined;
}

/** Whether the text can name a deployment or a node: one token of a subject. */
export function isNodeName(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,40}$/.test(text);
}

/**
 * The subjects of one deployment, as deploy/nats-server.conf gives rights to them; EVENT is its token (event-token.ts):
 *
 *   triagem.DEPLOYMENT.state.COUNTER.EVENT.PART     counters publish
 *   triagem.DEPLOYMENT.ask.EDGE.freshness           edges ask, under their own name
 *   triagem.DEPLOYMENT.ask.EDGE.state.EVENT
 *   triagem.DEPLOYMENT.ask.EDGE.desk.EVENT          every counter that watches its flow, or the one of that name
 *   triagem.DEPLOYMENT.ask.EDGE.desk.EVENT.COUNTER
 *   triagem.DEPLOYMENT.inbox.EDGE.…                 counters answer
 */
export class Subjects {
  readonly #prefix: string;

  constructor(deployment: string) {
    this.#prefix = `triagem.${deployment}`;
  }

  /** Matches every question of every edge. */
  get asks(): string {
    return `${this.#prefix}.ask.>`;
  }

  state({ counter, eventId, slice }: StateAddress): string {
    return `${this.#prefix}.state.${counter}.${tokenOfEvent(eventId)}.${slice}`;
  }

  /** Matches every state of one event, from any counter. */
  statesOf(eventId: string): string {
    return `${this.#prefix}.state.*.${tokenOfEvent(eventId)}.*`;
  }

  askFreshness(edge: string): string {
    return `${this.#prefix}.ask.${edge}.freshness`;
  }

  askState(edge: string, eventId: string): string {
    return `${this.#prefix}.ask.${edge}.state.${tokenOfEvent(eventId)}`;
  }

  /** Matches every question about the flow of an event. */
  get deskAsks(): string {
    return `${this.#prefix}.ask.*.desk.>`;
  }

  /** Without `counter`, every counter is asked. */
  askDesk(edge: string, eventId: string, counter?: string): string {
    const all = `${this.#prefix}.ask.${edge}.desk.${tokenOfEvent(eventId)}`;
    return counter === undefined ? all : `${all}.${counter}`;
  }

  /** The prefix of every subject on which this edge is answered. */
  inbox(edge: string): string {
    return `${this.#prefix}.inbox.${edge}.`;
  }

  /** Returns `undefined` for any other subject. */
  parseState(subject: string): StateAddress | undefined {
    const [kind, counter = '', event = '', slice, ...rest] = this.#tokens(subject);
    const known = STATE_SLICES.find((name) => name === slice);
    if (kind !== 'state' || !known || rest.length > 0) return undefined;
    const eventId = eventOfToken(event);
    return isNodeName(counter) && eventId !== undefined ? { counter, eventId, slice: known } : undefined;
  }

  /** Returns `undefined` for a question that this version does not know. */
  parseAsk(subject: string): Asked | undefined {
    const [kind, edge = '', about, event, ...rest] = this.#tokens(subject);
    if (kind !== 'ask' || !isNodeName(edge) || rest.length > 0) return undefined;
    if (about === 'freshness' && event === undefined) return { edge, about };
    const eventId = about === 'state' && event !== undefined ? eventOfToken(event) : undefined;
    return eventId === undefined ? undefined : { edge, about: 'state', eventId };
  }

  /** Returns `undefined` for any other subject. */
  parseDeskAsk(subject: string): AskedDesk | undefined {
    const [kind, edge = '', about, event = '', counter, ...rest] = this.#tokens(subject);
    if (kind !== 'ask' || about !== 'desk' || rest.length > 0) return undefined;
    const eventId = eventOfToken(event);
    return isNodeName(edge) && eventId !== undefined ? { edge, eventId, counter } : undefined;
  }

  #tokens(subject: string): string[] {
    const prefix = `${this.#prefix}.`;
    return subject.startsWith(prefix) ? subject.slice(prefix.length).split('.') : [];
  }
}
