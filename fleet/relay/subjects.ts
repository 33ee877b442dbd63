import { eventOfToken, tokenOfEvent } from './event-token.ts';

/** What of an event's state travels by itself. Each part is whole. */
const STATE_PARTS = ['counts', 'documents', 'details', 'incomplete'] as const;
export type StatePartName = (typeof STATE_PARTS)[number];

/** What a state's subject says: whose it is, of which event, and which part. */
export interface StateAddress {
  readonly counter: string;
  readonly eventId: string;
  readonly part: StatePartName;
}

/** A question of an edge. */
export type Asked =
  | { readonly edge: string; readonly about: 'freshness' }
  | { readonly edge: string; readonly about: 'state'; readonly eventId: string };

/** A question of an edge about the flow of an event: to the counter of that name, or to all. */
export interface AskedDesk {
  readonly edge: string;
  readonly eventId: string;
  readonly counter: string | undefined;
}

/** A name of a deployment or a node: one token of a subject. */
export function isNodeName(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,40}$/.test(text);
}

/**
 * The subjects of one deployment, as deploy/nats-server.conf gives rights to them; EVENT is its token (event-token.ts):
 *
 *   triagem.DEPLOYMENT.state.COUNTER.EVENT.PART     counters publish
 *   triagem.DEPLOYMENT.ask.EDGE.freshness           edges ask, beneath their own name
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

  /** All that edges ask. */
  get asks(): string {
    return `${this.#prefix}.ask.>`;
  }

  state({ counter, eventId, part }: StateAddress): string {
    return `${this.#prefix}.state.${counter}.${tokenOfEvent(eventId)}.${part}`;
  }

  /** The states of one event, whoever counts. */
  statesOf(eventId: string): string {
    return `${this.#prefix}.state.*.${tokenOfEvent(eventId)}.*`;
  }

  askFreshness(edge: string): string {
    return `${this.#prefix}.ask.${edge}.freshness`;
  }

  askState(edge: string, eventId: string): string {
    return `${this.#prefix}.ask.${edge}.state.${tokenOfEvent(eventId)}`;
  }

  /** All that edges ask about the flow of events. */
  get deskAsks(): string {
    return `${this.#prefix}.ask.*.desk.>`;
  }

  /** Without a counter: of all. */
  askDesk(edge: string, eventId: string, counter?: string): string {
    const all = `${this.#prefix}.ask.${edge}.desk.${tokenOfEvent(eventId)}`;
    return counter === undefined ? all : `${all}.${counter}`;
  }

  /** What begins every subject on which this edge is answered. */
  inbox(edge: string): string {
    return `${this.#prefix}.inbox.${edge}.`;
  }

  /** `undefined`: it is no state's. */
  parseState(subject: string): StateAddress | undefined {
    const [kind, counter = '', event = '', part, ...rest] = this.#tokens(subject);
    const known = STATE_PARTS.find((name) => name === part);
    if (kind !== 'state' || !known || rest.length > 0) return undefined;
    const eventId = eventOfToken(event);
    return isNodeName(counter) && eventId !== undefined ? { counter, eventId, part: known } : undefined;
  }

  /** `undefined`: it is no question of this version. */
  parseAsk(subject: string): Asked | undefined {
    const [kind, edge = '', about, event, ...rest] = this.#tokens(subject);
    if (kind !== 'ask' || !isNodeName(edge) || rest.length > 0) return undefined;
    if (about === 'freshness' && event === undefined) return { edge, about };
    const eventId = about === 'state' && event !== undefined ? eventOfToken(event) : undefined;
    return eventId === undefined ? undefined : { edge, about: 'state', eventId };
  }

  /** `undefined`: it is no question about a flow. */
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
