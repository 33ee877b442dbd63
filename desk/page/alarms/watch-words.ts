import type { WaitReason } from '../../model/alarms/evaluation.ts';
import { STOP_ENDS_AFTER_KICK_OFF_MS } from '../../model/alarms/limits.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { listNames, sectorName } from '../actions/sector-name.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTimeWithSeconds } from '../event-time.ts';
import { isMarked } from '../is-marked.ts';
import { shownState } from '../rows/row-words.ts';

/** The reasons for which the rules of flow are not applied; those of capacity are. */
const WAITS: Readonly<Record<WaitReason, string>> = {
  'no-kick-off': 'fluxo não verificado: falta o horário do início',
  'before-gates-open': 'fluxo não verificado antes de os portões abrirem',
  // Said of live counts only: the next boundary is not yet there.
  'not-live': 'fluxo não verificado: a contagem acaba de voltar',
  'entry-closed': 'fluxo não verificado: entrada encerrada',
  evacuated: 'fluxo não verificado: evacuação',
  'after-end': `fluxo não verificado: mais de ${STOP_ENDS_AFTER_KICK_OFF_MS / MINUTE_MS} min depois do início`,
};

const ALL_MARKED = 'fluxo não verificado: todos os setores estão marcados';

/** After this long without data, the absence of alarms means nothing. */
const UNVERIFIED_MS = 20_000;

/** More names are not read at a glance. */
const MAX_NAMES = 2;

type WatchedView = Pick<DeskView, 'state' | 'status'>;

/** Whether an alarm may be missing. */
export function isUnverified({ state, status }: WatchedView): boolean {
  if (state.record.isUnread) return true;
  return state.watch.waits === 'not-live' || ('ageMs' in status && status.ageMs >= UNVERIFIED_MS);
}

/** The heading counts the new alarms; "nenhum novo" requires that the rules are applied. */
export function headingWords(view: WatchedView, calling: number): string {
  const { alarms, evacuatedAtMs } = view.state;
  if (evacuatedAtMs !== null) return 'alarmes · parados pela evacuação';
  const name = isUnverified(view) ? 'alarmes sem como verificar' : 'alarmes';
  if (calling > 0) return `${name} · ${calling} ${calling === 1 ? 'novo' : 'novos'}`;
  return alarms.length > 0 && view.status.kind === 'live' && !isUnverified(view)
    ? `${name} · nenhum novo`
    : name;
}

/**
 * The line below the alarms: "nenhum alarme · contagem conferida 18:36:10 · 13 setores com acessos". Where the rules are not
 * applied, the reason comes first.
 */
export function watchLine(view: WatchedView & Pick<DeskView, 'sectors'>): string {
  const { state } = view;
  const words = watchWords(view);
  if (isBlind(view)) return words;
  const at = formatTimeWithSeconds(state.nowMs, state.timeZone);
  // Below alarms there is room for one line.
  if (state.alarms.length > 0) return [words, `conferido ${at}`].filter(Boolean).join(' · ');
  // An evacuation stops all of them.
  const none = `${state.watch.waits === 'evacuated' ? '' : 'nenhum alarme · '}contagem conferida ${at}`;
  return (isFlowWatched(state) ? [none, words] : [words, none]).filter(Boolean).join(' · ');
}

/** Whether nothing is checked. */
function isBlind({ state, status }: WatchedView): boolean {
  return status.kind !== 'live' || state.watch.waits === 'not-live' || state.record.isUnread === true;
}

/** Whether the rules of flow are applied to any sector. */
function isFlowWatched(state: WatchedView['state']): boolean {
  const sectors = sectorsWithTickets(state.rows);
  return (
    state.watch.waits === null &&
    (sectors.length === 0 || !sectors.every(({ code }) => isMarked(state, code)))
  );
}

function sectorsWithTickets(rows: WatchedView['state']['rows']): WatchedView['state']['rows'] {
  return rows.filter(({ code, valid }) => code !== '' && valid > 0);
}

/** The verified sectors, or why none is: "13 setores com acessos". */
function watchWords({ state, status, sectors: named }: Parameters<typeof watchLine>[0]): string {
  const { watch, rows, timeZone } = state;
  if (status.kind !== 'live') {
    const since = watch.atMs === null ? '' : ` desde ${formatTimeWithSeconds(watch.atMs, timeZone)}`;
    return `sem dados: alarmes não verificados${since}`;
  }
  if (state.record.isUnread) return 'sem o registro: alarmes não verificados';
  if (watch.waits) return WAITS[watch.waits];
  if (!isFlowWatched(state)) return ALL_MARKED;
  const sectors = sectorsWithTickets(rows).map((row) => ({ code: row.code, state: shownState(state, row) }));
  const known = sectors.filter((row) => row.state !== 'unknown');
  const flowing = known.filter((row) => row.state === 'flowing' || row.state === 'dropped').length;
  const untold = sectors.filter((row) => row.state === 'unknown');
  const unknown = untold.filter((row) => !isMarked(state, row.code));
  const marked = untold.length - unknown.length;
  const names = unknown.map(({ code }) => sectorName(named, code));
  const parts = [
    ...(known.length > 0 ? [flowingWords(flowing, sectors.length - marked)] : []),
    ...(marked > 0 ? [marked === 1 ? '1 setor marcado' : `${marked} setores marcados`] : []),
    ...(names.length > 0 ? [`sem como verificar: ${listNames(names, MAX_NAMES)}`] : []),
    ...(watch.atMs === null ? ['alarmes ainda não verificados'] : []),
  ];
  return parts.join(' · ');
}

function flowingWords(flowing: number, all: number): string {
  const sectors = `${all} ${all === 1 ? 'setor' : 'setores'}`;
  if (flowing === 0)
    return all === 1 ? 'o setor sem acessos agora' : `nenhum dos ${sectors} com acessos agora`;
  return `${flowing === all ? sectors : `${flowing} de ${sectors}`} com acessos`;
}
