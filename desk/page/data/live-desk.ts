import type { DeskStreamMessage } from '../../model/desk-message.ts';
import type { DeskState } from '../../model/desk-state.ts';
import type { SourceState } from '../../../domain/live-message.ts';
import { isEarlier } from '../../../domain/log-position.ts';
import { elapsedMs, type Instant } from '../../../page/trust/page-clock.ts';
import {
  type ConnectionState,
  isSameStatus,
  readStatus,
  type Status,
  type TrueAt,
} from '../../../page/trust/status.ts';
import { reuseParts } from './reuse-parts.ts';

/** The last state that a desk received, and whether it can be trusted. */
export interface LiveDesk {
  readonly state: DeskState | undefined;
  /** When `state` came. */
  readonly receivedAt: Instant | undefined;
  /** The highest timeline displayed; it outlives a reload. */
  readonly seen: string | null;
  readonly status: Status;
  readonly connection: ConnectionState;
  readonly trueAt: TrueAt | undefined;
}

export type DeskEvent =
  | { readonly type: 'opened' | 'closed' | 'awoke' | 'ticked' }
  | { readonly type: 'received'; readonly messages: readonly DeskStreamMessage[]; readonly sentAt: Instant };

const NO_CONNECTION: ConnectionState = { open: false, source: undefined, sentAt: undefined, awoke: false };

export const NOTHING_YET: LiveDesk = {
  state: undefined,
  receivedAt: undefined,
  seen: null,
  status: { kind: 'connecting' },
  connection: NO_CONNECTION,
  trueAt: undefined,
};

/** This replaces the source's state that a former primary's counter sends. */
const OF_FORMER: SourceState = { live: false, ageMs: 0, reason: 'lag' };

/** Whether the current server counts a former primary; its states are ignored (page/live-state.ts). */
export function isOfFormer({ connection }: LiveDesk): boolean {
  return connection.source === OF_FORMER;
}

/** Returns the desk after `event` at `now`, or the same object when nothing has changed. */
export function reduceDesk(desk: LiveDesk, event: DeskEvent, now: Instant): LiveDesk {
  const next = apply(desk, event, now);
  const status = readStatus(next.connection, next.trueAt, now);
  return isSameStatus(status, next.status) ? next : { ...next, status };
}

function apply(desk: LiveDesk, event: DeskEvent, now: Instant): LiveDesk {
  switch (event.type) {
    case 'opened':
      if (desk.connection.open && !isOfFormer(desk)) return desk;
      return { ...desk, connection: { ...NO_CONNECTION, open: true, awoke: desk.connection.awoke } };
    case 'closed':
      return { ...desk, connection: NO_CONNECTION };
    case 'awoke':
      return { ...desk, connection: { ...desk.connection, awoke: true } };
    case 'received': {
      // A stream may begin without a state: the one of the stream that it follows stands, and grows old.
      const [first, ...others] = event.messages;
      const isWithoutState = first?.event === 'build' && others.length === 0;
      return isWithoutState && desk.connection.source ? desk : receive(desk, event, now);
    }
    default:
      return desk;
  }
}

function receive(
  desk: LiveDesk,
  { messages, sentAt }: Extract<DeskEvent, { type: 'received' }>,
  now: Instant,
): LiveDesk {
  let { state, receivedAt, seen, trueAt } = desk;
  let { source } = desk.connection;
  for (const message of messages) {
    if (message.event !== 'desk') continue;
    ({ source } = message.data);
    const { timeline = seen } = message.data;
    if (timeline !== null && seen !== null && isEarlier(timeline, seen)) {
      source = OF_FORMER;
      continue;
    }
    // A server that has just started has no counts yet, so the former state stays.
    if (!source.live && message.data.watch.atMs === null) continue;
    state = state === undefined ? message.data : reuseParts(state, message.data);
    receivedAt = now;
    seen = timeline;
    trueAt = { ageMs: message.data.source.live ? 0 : message.data.source.ageMs, at: sentAt };
  }
  return {
    state,
    receivedAt,
    seen,
    status: desk.status,
    trueAt,
    connection: { open: true, source, sentAt, awoke: false },
  };
}

/** The servers' wall clock at `now`; `undefined` before the first state. */
export function readWallClock({ state, receivedAt }: LiveDesk, now: Instant): number | undefined {
  if (state?.wallMs === undefined || !receivedAt) return undefined;
  return state.wallMs + elapsedMs(receivedAt, now);
}

/** The flow's clock at `now`; `undefined` before the first state. */
export function readFlowClock({ state, receivedAt }: LiveDesk, now: Instant): number | undefined {
  return state && receivedAt && state.nowMs + elapsedMs(receivedAt, now);
}
