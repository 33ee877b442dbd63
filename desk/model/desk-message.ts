import type { VenueClock } from '../../domain/live-message.ts';
import type { DeskState } from './desk-state.ts';
import { isDeskState, isTimed } from './desk-state-shape.ts';
import { hasFields, isListOf, isNullOr, isNumber, isText, type Shape } from './json-shape.ts';
import type { Minute } from './series/minute.ts';

/**
 * The messages of a desk's stream, as server-sent events. The stream begins with `build`, as the wall's does
 * (live-message.ts); then come `desk` every DESK_INTERVAL_MS, the first at once, and `minute` for each confirmed minute. A
 * desk that misses a minute sees it by the state's `lastMinuteMs`. `sentAtMs` is the server's monotonic clock.
 */
export type DeskMessage =
  | { readonly event: 'desk'; readonly sentAtMs: number; readonly data: DeskState }
  | { readonly event: 'minute'; readonly data: Minute };

export type DeskStreamMessage =
  | {
      readonly event: 'build';
      readonly sentAtMs: number;
      readonly receivedAtMs?: number | undefined;
      readonly clock?: VenueClock | undefined;
      readonly data: { readonly id: string };
    }
  | DeskMessage;

export const DESK_INTERVAL_MS = 1_000;

export function encodeDeskMessage(message: DeskMessage): string {
  const data = message.event === 'desk' ? { ...message.data, sentAtMs: message.sentAtMs } : message.data;
  return `event: ${message.event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * Decodes a message of a desk's stream; `undefined` for an unknown event of a newer server.
 *
 * @throws Error if the data are malformed
 */
export function decodeDeskMessage(event: string, text: string): DeskStreamMessage | undefined {
  switch (event) {
    case 'build': {
      const { sentAtMs, receivedAtMs, id } = read(event, text, isBuild) as {
        sentAtMs: number;
        receivedAtMs?: number;
        id: string;
      };
      return { event, sentAtMs, receivedAtMs, data: { id } };
    }
    case 'desk': {
      const { sentAtMs, ...data } = read(event, text, isTimedDeskState) as DeskState & {
        sentAtMs: number;
      };
      return { event, sentAtMs, data };
    }
    case 'minute':
      return { event, data: read(event, text, isMinute) as Minute };
    default:
      return undefined;
  }
}

function read(event: string, text: string, isShape: Shape): unknown {
  const value: unknown = JSON.parse(text);
  if (!isShape(value)) throw new Error(`malformed "${event}" event`);
  return value;
}

const isBuild = hasFields({ sentAtMs: isNumber, id: isText });

const isTimedDeskState: Shape = (value) => isTimed(value) && isDeskState(value);

const isCountOrNull = isNullOr(isNumber);

export const isMinute = hasFields({
  minuteMs: isNumber,
  sectors: isListOf(
    hasFields({
      admitted: isNumber,
      net: isNumber,
      entered: isCountOrNull,
      reverted: isCountOrNull,
      moved: isCountOrNull,
      valid: isNumber,
      lots: isNumber,
    }),
  ),
});
