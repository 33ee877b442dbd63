import { formatCount } from '../../../page/design/number-format.ts';
import { readSpan } from '../../model/log/match-summary.ts';
import { sectorName } from '../actions/sector-name.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import { formatNeeded } from '../figure-format.ts';
import { staleSinceMs } from '../stale-since.ts';
import { describeIncomplete } from '../caveats.ts';
import { type CurveModel, figuresOf } from './curve-model.ts';

export function curveName(view: DeskView, sector: string | null): string {
  return `acessos ao longo do tempo · ${sectorName(view.sectors, sector)}`;
}

/** Describes the curve for screen readers. */
export function curveSentence(view: DeskView, sector: string | null, model: CurveModel): string {
  const { timeZone } = view.state;
  const time = (ms: number): string => formatTime(ms, timeZone);
  const { admitted, valid } = figuresOf(view, sector);
  const staleMs = staleSinceMs(view);
  const noun = admitted === 1 ? 'acesso' : 'acessos';
  const ofValid = valid > 0 ? `, de ${formatCount(valid)} ingressos válidos` : '';
  const parts = [`${formatCount(admitted)} ${noun} até ${time(staleMs ?? countedAtMs(view))}${ofValid}`];
  const { range, needed, gaps, usual } = model;
  if (staleMs !== null) parts.push(`sem dados desde ${time(staleMs)}`);
  if (range) {
    const [low, high] = [range.low, range.high].map((count) => formatCount(Math.round(count)));
    const ends = low === high ? `${range.isMost ? 'no máximo ' : ''}${low}` : `de ${low} a ${high}`;
    parts.push(`no início, às ${time(range.toMs)}: ${ends} dentro`);
  }
  if (needed) parts.push(`ritmo necessário ${formatNeeded(needed.perMinute)} por minuto`);
  if (usual) parts.push(`a linha fina é a média de ${formatCount(usual.matches)} jogos`);
  if (gaps.length > 0) {
    const spans = gaps.map(({ fromMs, toMs }) => `${time(fromMs)}–${time(toMs)}`);
    parts.push(`sem dados: ${spans.join(', ')}`);
  }
  if (model.columns.length === 0) parts.push('nenhum minuto conhecido neste período');
  const caveat = curveCaveat(view, sector);
  if (caveat !== null) parts.push(caveat);
  return `${parts.join('; ')}.`;
}

/** A recorded count is that of the last known minute. */
function countedAtMs({ state: { nowMs }, replay, minutes }: DeskView): number {
  return (replay === null ? undefined : readSpan(minutes)?.toMs) ?? nowMs;
}

/** States where people pass uncounted; null where the curve is complete. */
export function curveCaveat(view: DeskView, sector: string | null): string | null {
  const incomplete = describeIncomplete(view, sector);
  return incomplete === null ? null : `contagem incompleta: ${incomplete}`;
}
