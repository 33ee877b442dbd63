import { MINUTE_MS, minuteOf } from '../../model/series/minute.ts';
import { createOffsetReader } from '../../../domain/time-zone.ts';
import { leftWords } from '../frame/kick-off-words.ts';

const DAY_MS = 24 * 60 * MINUTE_MS;
/** A time that exists is nearer than this, even on a day of 25 hours. */
const NEAREST_MS = DAY_MS / 2 + 60 * MINUTE_MS;

/**
 * Returns the instant nearest to `nearMs` at which clocks in `timeZone` show `time` ("19:30"); `undefined` for no time, and
 * for one that a clock skips when it is put forward.
 */
export function instantOf(time: string, nearMs: number, timeZone: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  if (hours === undefined || minutes === undefined) return undefined;
  const ofDayMs = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  const offsetAt = createOffsetReader(timeZone);
  const offsetMs = offsetAt(nearMs);
  const dayMs = Math.floor((nearMs + offsetMs) / DAY_MS) * DAY_MS;
  const instants = [-DAY_MS, 0, DAY_MS].flatMap((days) => {
    const localMs = dayMs + days + ofDayMs;
    // Near a change of the clocks, the first guess may have the offset of the other side.
    const guess = localMs - offsetAt(localMs - offsetMs);
    const instant = localMs - offsetAt(guess);
    return instant + offsetAt(instant) === localMs ? [instant] : [];
  });
  const distance = (instant: number) => Math.abs(instant - nearMs);
  return instants.find(
    (instant) =>
      distance(instant) < NEAREST_MS && instants.every((other) => distance(instant) <= distance(other)),
  );
}

export type KickOffCheck =
  | { readonly kind: 'fault'; readonly message: string }
  | { readonly kind: 'ok'; readonly kickOffAtMs: number; readonly words: string };

/** Checks a typed time of the kick-off, and describes what it would mean. */
export function checkKickOff(
  time: string,
  now: {
    readonly nowMs: number;
    readonly kickOffAtMs: number | null;
    readonly gatesOpenAtMs: number | null;
    readonly timeZone: string;
  },
): KickOffCheck {
  const { nowMs, kickOffAtMs, gatesOpenAtMs, timeZone } = now;
  const fault = (message: string): KickOffCheck => ({ kind: 'fault', message });
  if (time === '') return fault('Informe o horário.');
  const instant = instantOf(time, kickOffAtMs ?? nowMs, timeZone);
  // Kick-offs are typed and displayed without seconds.
  const shownMs = kickOffAtMs === null ? null : minuteOf(kickOffAtMs);
  if (instant === undefined) return fault(`${time} não existe neste dia.`);
  if (instant === shownMs) return fault('Este já é o horário do início.');
  if (gatesOpenAtMs !== null && instant <= gatesOpenAtMs) return fault('Isto é antes de os portões abrirem.');
  if (Math.abs(instant - nowMs) > DAY_MS)
    return fault('Isto é a mais de um dia de agora: peça a quem instala, que muda o horário do evento.');
  const words = [
    ...(shownMs === null ? [] : [compared(instant - shownMs)]),
    instant <= nowMs ? 'este horário já passou' : `daqui a ${leftWords(instant - nowMs)}`,
  ];
  return { kind: 'ok', kickOffAtMs: instant, words: words.join('; ') };
}

function compared(byMs: number): string {
  return `${leftWords(Math.abs(byMs))} ${byMs > 0 ? 'mais tarde' : 'mais cedo'} que o de agora`;
}
