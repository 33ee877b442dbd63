/** So long after a tone, it is heard again while somebody is asked for. */
export const TONE_EVERY_MS = 30_000;

/** `lastToneMs` by a clock that only goes on. */
export interface ToneState {
  readonly calls: ReadonlySet<string>;
  readonly lastToneMs: number;
}

export const NO_TONE: ToneState = { calls: new Set(), lastToneMs: -Infinity };

/**
 * Whether a tone is due at `nowMs`: a call is new, or stands for TONE_EVERY_MS since the last tone. `mayRepeat`: false
 * where nobody could answer it.
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
 * Whether an evacuation is to be heard: once, on a desk that was open before it knew of it. `known`: the last one that it has
 * shown, null if none, `undefined` before it has shown anything. A desk that opens during an evacuation shows it, and is silent;
 * one that was without a server when it was declared hears it as soon as it is told.
 */
export function nextEvacuation(
  known: number | null | undefined,
  evacuatedAtMs: number | null,
): { readonly isDue: boolean; readonly known: number | null } {
  const isDue = known !== undefined && evacuatedAtMs !== null && evacuatedAtMs !== known;
  return { isDue, known: evacuatedAtMs ?? known ?? null };
}
