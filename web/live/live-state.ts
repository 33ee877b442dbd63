import type { Admissions, LiveMessage } from '../../domain/live-message.ts';
import type { Instant } from './trust/freshness.ts';
import { type ConnectionState, isSameStatus, readStatus, type Status, type TrueAt } from './trust/status.ts';

type CountsMessage = Extract<LiveMessage, { event: 'counts' }>;

/** What a page knows, and whether it can be trusted. */
export interface LiveState {
  /** Whether a sign-in has ever succeeded: whoever receives has a session. */
  readonly signedIn: boolean;
  readonly shown: Shown | undefined;
  readonly status: Status;
  readonly connection: ConnectionState & {
    /** Counts that came before it was known whether they are live. */
    readonly held: CountsMessage | undefined;
  };
  readonly trueAt: TrueAt | undefined;
}

/** The numbers on the screen. */
interface Shown {
  readonly id: string;
  readonly admissions: Admissions;
}

const NO_CONNECTION: LiveState['connection'] = {
  open: false,
  source: undefined,
  held: undefined,
  heardAt: undefined,
  awoke: false,
};

export const INITIAL_STATE: LiveState = {
  signedIn: false,
  shown: undefined,
  status: { kind: 'connecting' },
  connection: NO_CONNECTION,
  trueAt: undefined,
};

export type LiveEvent =
  | { readonly type: 'signed-in' | 'opened' | 'closed' | 'awoke' | 'ticked' }
  /** All messages of one network chunk: they are applied together, so that no state between them is shown. */
  | { readonly type: 'received'; readonly messages: readonly LiveMessage[] };

/** The state after `event` at `now`. Returns the same object when nothing has changed. */
export function reduce(state: LiveState, event: LiveEvent, now: Instant): LiveState {
  const next = apply(state, event, now);
  const status = readStatus(next.connection, next.shown && next.trueAt, now);
  return isSameStatus(status, next.status) ? next : { ...next, status };
}

function apply(state: LiveState, event: LiveEvent, now: Instant): LiveState {
  switch (event.type) {
    case 'signed-in':
      return state.signedIn ? state : { ...state, signedIn: true };
    case 'opened':
      return { ...state, connection: { ...NO_CONNECTION, open: true, awoke: state.connection.awoke } };
    case 'closed':
      return { ...state, connection: NO_CONNECTION };
    case 'awoke':
      return { ...state, connection: { ...state.connection, awoke: true } };
    case 'received':
      return receive(state, event.messages, now);
    default:
      return state;
  }
}

function receive(state: LiveState, messages: readonly LiveMessage[], now: Instant): LiveState {
  let { source, held } = state.connection;
  let { trueAt } = state;
  for (const message of messages) {
    if (message.event === 'counts') held = held && isOlder(message.id, held.id) ? held : message;
    if (message.event === 'source') {
      source = message.data;
      if (!source.live) trueAt = { ageMs: source.ageMs, at: now };
    }
  }
  if (source?.live) trueAt = { ageMs: 0, at: now };
  const shown = source && held ? show(state.shown, held) : state.shown;
  if (source) held = undefined;
  return {
    ...state,
    signedIn: true,
    shown,
    trueAt,
    connection: { open: true, source, held, heardAt: now, awoke: false },
  };
}

function show(shown: Shown | undefined, { id, data: admissions }: CountsMessage): Shown {
  return shown && isOlder(id, shown.id) ? shown : { id, admissions };
}

/** Ids are `epoch:version`. Across epochs nothing is older: a new epoch is a new truth, lower numbers included. */
function isOlder(id: string, than: string): boolean {
  const [epoch, version] = splitId(id);
  const [otherEpoch, otherVersion] = splitId(than);
  return epoch === otherEpoch && version < otherVersion;
}

function splitId(id: string): readonly [epoch: string, version: number] {
  const colon = id.lastIndexOf(':');
  return [id.slice(0, colon), Number(id.slice(colon + 1))];
}
