import type { TicketCounts } from '../../domain/tally.ts';
import {
  type CountedPrimaries,
  type CountsMessage,
  type FreshnessAnswer,
  MAX_STATE_BYTES,
  type Primary,
  type SliceMessage,
  type Sender,
  WIRE,
} from './wire.ts';

/** @throws RangeError: the state is larger than MAX_STATE_BYTES */
export function encodeState(message: CountsMessage | SliceMessage): Buffer {
  const text = Buffer.from(JSON.stringify(stateFields(message)));
  if (text.length <= MAX_STATE_BYTES) return text;
  throw new RangeError(`a state of ${text.length} bytes is more than ${MAX_STATE_BYTES}`);
}

export function encodeAnswer({ from, position, live, ageMs, atMs, reason, server }: FreshnessAnswer): Buffer {
  const at = atMs === undefined ? undefined : Math.floor(atMs);
  return encode(from, { position, live, ageMs: Math.ceil(ageMs), atMs: at, reason, server });
}

export function encodeAsk(counted: CountedPrimaries = {}): Buffer {
  const of = (field: keyof Primary): object =>
    Object.fromEntries(Object.entries(counted).map(([counter, primary]) => [counter, primary[field]]));
  return Buffer.from(JSON.stringify({ wire: WIRE, primaries: of('timeline'), servers: of('server') }));
}

function stateFields(message: CountsMessage | SliceMessage): object {
  const { from, state, server } = message;
  const { eventId: event, kind: part, position } = state;
  const head = { wire: WIRE, ...from, event, part, position, server };
  if (state.kind !== 'counts') {
    const { digest } = message as SliceMessage;
    if (state.kind === 'documents') return { ...head, digest, documents: state.documents };
    if (state.kind === 'incomplete') {
      const { incomplete, evacuatedAtMs = null } = state;
      return { ...head, digest, incomplete, ...(evacuatedAtMs !== null && { evacuatedAtMs }) };
    }
    return { ...head, digest, details: state.details ?? null };
  }
  const { documents, details, incomplete } = message as CountsMessage;
  const { epoch, version, codes, rest } = state;
  const counted = [
    ...numbersOf(state),
    codes.map(({ code, tickets, admitted, valid }) => [code, tickets, admitted, valid]),
    numbersOf(rest),
  ];
  return { ...head, epoch, version, counted, documents, details, incomplete };
}

function numbersOf({ tickets, admitted, valid }: TicketCounts): [number, number, number] {
  return [tickets, admitted, valid];
}

function encode(from: Sender, fields: object): Buffer {
  return Buffer.from(JSON.stringify({ wire: WIRE, ...from, ...fields }));
}
