import type { Forecast, NoForecast, NoRange, Outlook } from '../../model/forecast/forecast.ts';
import { CURVE_FROM_MIN, MIN_MATCHES } from '../../model/forecast/limits.ts';
import { uncountedMarks } from '../../model/log/uncounted.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import { sectorName } from '../actions/sector-name.ts';
import { withoutWords } from '../span-words.ts';
import { staleSinceMs } from '../stale-since.ts';
import { describeIncomplete, describeSuspended } from '../caveats.ts';

export function noForecastWords(view: DeskView, why: NoForecast): string {
  const { timeZone, times, nowMs, entryClosedAtMs, evacuatedAtMs, record } = view.state;
  if (record.isUnread) return 'sem o registro: não há previsão';
  const at = (ms: number | null): string => (ms === null ? '' : ` às ${formatTime(ms, timeZone)}`);
  switch (why) {
    case 'no-kick-off':
      return 'sem horário de início: informe-o para ver o ritmo necessário e a previsão';
    case 'no-data':
      return `sem dados desde ${formatTime(staleSinceMs(view) ?? nowMs, timeZone)}`;
    case 'over':
      return `o início foi${at(times.kickOffAtMs)}: não há mais previsão`;
    case 'entry-closed':
      return `entrada encerrada${at(entryClosedAtMs)}: não há mais previsão`;
    default:
      return `evacuação${at(evacuatedAtMs)}: não há mais previsão`;
  }
}

/** States when nearly all others will be in after kick-off; null where that is unknown. */
export function comingWords(
  { state, sectors }: DeskView,
  { coming }: Extract<Forecast, { kind: 'none' }>,
): string | null {
  if (!coming) return null;
  const { untilMs, without } = coming;
  const left = without ? `${withoutWords(without, (code) => sectorName(sectors, code))}: ` : '';
  return `${left}no ritmo de agora e como de costume, quase todos os que ainda vêm estarão dentro às ${formatTime(untilMs, state.timeZone)}`;
}

/** Explains why the forecast of the whole ground is withdrawn. */
export function withdrawnWords(view: DeskView): string {
  const incomplete = describeIncomplete(view);
  const suspended = describeSuspended(view);
  const isUnestimated = uncountedMarks(view.state.marks, null).some(({ estimate }) => !estimate);
  if (suspended !== null)
    return `sem faixa: entrada suspensa: ${suspended}${isUnestimated ? `; contagem incompleta: ${incomplete}` : ''}`;
  return `previsão retirada até haver uma estimativa: contagem incompleta${incomplete === null ? '' : `: ${incomplete}`}`;
}

/**
 * Explains why the whole ground has no range at one of `all` kick-offs; while a large part of it is suspended, it has no
 * forecast at all.
 */
export function noRangeWords(
  view: DeskView,
  why: NoRange['why'],
  kickOffAtMs: number,
  all: readonly Outlook[],
): string {
  if (why !== 'early') {
    const hasOther = all.some(({ range }) => !('why' in range));
    return `sem faixa: menos de ${MIN_MATCHES} jogos anteriores ${hasOther ? 'contados até tão tarde' : 'para comparar'}`;
  }
  const fromMs = kickOffAtMs - CURVE_FROM_MIN * MINUTE_MS;
  return `a faixa aparece às ${formatTime(fromMs, view.state.timeZone)}, duas horas antes do início`;
}
