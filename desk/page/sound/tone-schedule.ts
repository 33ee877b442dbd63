/** A tone repeats after this time while an alarm calls. */
export const TONE_EVERY_MS = 30_000;

/** `lastToneMs` is a time of a monotonic clock. */
export interface ToneState {
  readonly calls: ReadonlySet<string>;
  readonly lastToneMs: number;
}

export const NO_TONE: ToneState = { calls: new Set(), lastToneMs: -Infinity };

/**
 * A tone is due at `nowMs` if a call is new, or lasts for TONE_EVERY_MS since the last tone. `mayRepeat` is false where nobody
 * could acknowledge.
 */
export function nextTone(
  before: ToneState,
  calls: readonly string[],
  nowMs: number,
  mayRepeat: boolean,
): { readonly isDue: boolean; readonly state: ToneState } {
  const isNew = calls.some((call) => !before.calls.has(call));
  const isRepeated = mayRepeat && calls.length > 0 && nowMs - before.lastToneMs >= TONE_EVERY_MS;
  const isDue = isNew || isRepeated;
  return { isDue, state: { calls: new Set(calls), lastToneMs: isDue ? nowMs : before.lastToneMs } };
}

/**
 * An evacuation is due once, on a desk that was open before. `known`: the last evacuation that the desk displayed, null for
 * none, `undefined` before it displayed anything. A desk that opens during an evacuation is silent; one that had no server
 * when it was declared plays its tone with the first state that has it.
 */
export function nextEvacuation(
  known: number | null | undefined,
  evacuatedAtMs: number | null,
): { readonly isDue: boolean; readonly known: number | null } {
  const isDue = known !== undefined && evacuatedAtMs !== null && evacuatedAtMs !== known;
  return { isDue, known: evacuatedAtMs ?? known ?? null };
}
