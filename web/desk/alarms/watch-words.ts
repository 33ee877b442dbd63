import type { WaitReason } from '../../../domain/flow/alarms/evaluation.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTimeWithSeconds } from '../event-time.ts';

/** Why nobody looks at the flow just now. Capacity is looked at all the same. */
const WAITS: Readonly<Record<WaitReason, string>> = {
  'no-kick-off': 'fluxo não verificado: falta o horário do início',
  'before-gates-open': 'fluxo não verificado antes de os portões abrirem',
  'not-live': 'fluxo não verificado: sem dados',
  'entry-closed': 'fluxo não verificado: entrada encerrada',
  evacuated: 'fluxo não verificado: evacuação',
  'after-end': 'fluxo não verificado: a entrada acabou',
};

/**
 * What stands below the alarms: "nenhum alarme · 13 setores com acessos · verificado 18:36:10". Where nobody looks, that no
 * alarm is there says little: why comes first.
 */
export function watchLine(view: Pick<DeskView, 'state' | 'status'>): string {
  const words = watchWords(view);
  if (view.status.kind !== 'live' || view.state.alarms.length > 0) return words;
  const none = 'nenhum alarme';
  return (view.state.watch.waits ? [words, none] : [none, words]).join(' · ');
}

/** Whether somebody looks: "13 setores com acessos · verificado 18:36:10". */
export function watchWords({ state, status }: Pick<DeskView, 'state' | 'status'>): string {
  const { watch, rows, timeZone } = state;
  const at =
    watch.atMs === null
      ? 'ainda não verificado'
      : `verificado ${formatTimeWithSeconds(watch.atMs, timeZone)}`;
  if (status.kind !== 'live') {
    const since = watch.atMs === null ? '' : ` desde ${formatTimeWithSeconds(watch.atMs, timeZone)}`;
    return `sem dados: alarmes não verificados${since}`;
  }
  if (watch.waits) return WAITS[watch.waits];
  const sectors = rows.filter(({ code, valid }) => code !== '' && valid > 0);
  const known = sectors.filter((row) => row.state !== 'unknown');
  const flowing = known.filter((row) => row.state === 'flowing' || row.state === 'dropped').length;
  const unknown = sectors.length - known.length;
  const parts = [
    ...(known.length > 0 ? [flowingWords(flowing, sectors.length)] : []),
    ...(unknown > 0 ? [`${unknown} ${unknown === 1 ? 'setor' : 'setores'} sem como verificar`] : []),
    at,
  ];
  return parts.join(' · ');
}

function flowingWords(flowing: number, all: number): string {
  const sectors = `${all} ${all === 1 ? 'setor' : 'setores'}`;
  if (flowing === 0) return all === 1 ? 'o setor sem acessos' : `nenhum dos ${sectors} com acessos`;
  return `${flowing === all ? sectors : `${flowing} de ${sectors}`} com acessos`;
}
