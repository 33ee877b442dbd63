import type { TrackRecord } from '../../model/forecast/track-record.ts';
import { formatCount } from '../../../page/design/number-format.ts';

/** States how often the ranges made at about this time held in earlier matches; empty without any. */
export function trackRecordWords(records: readonly TrackRecord[], minutesLeft: number): readonly string[] {
  const distance = ({ minutesBefore }: TrackRecord): number => Math.abs(minutesBefore - minutesLeft);
  const [nearest] = records.toSorted((a, b) => distance(a) - distance(b));
  if (!nearest) return [];
  const { minutesBefore, ranges, held } = nearest;
  const at = `a T−${minutesBefore}`;
  if (ranges === 1) return [`a última faixa ${at} ${held === 1 ? 'acertou' : 'errou'}`];
  const verb = held === 1 ? 'acertou' : 'acertaram';
  const count = held === 0 ? 'nenhuma' : formatCount(held);
  return [`nas últimas ${formatCount(ranges)} faixas ${at}, ${count} ${held === 0 ? 'acertou' : verb}`];
}
