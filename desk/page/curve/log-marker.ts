import { RULE_WORDS } from '../../model/alarms/alarm-words.ts';
import type { LogRow } from '../../model/log/flow-log.ts';
import { makesIncomplete } from '../../model/log/marks.ts';
import { readTakenBack } from '../../model/log/taken-back.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import { MARK_WORDS } from '../alarms/rule-words.ts';
import { sectorName } from '../actions/sector-name.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';

/** An entry of the log below the curve. */
export interface LogMarker {
  readonly atMs: number;
  readonly kind: MarkerKind;
  readonly text: string;
}

/** `caveat`: people pass uncounted; `order`: another decision for the whole event. */
export type MarkerKind = 'evacuation' | 'alarm' | 'caveat' | 'suspended' | 'occurrence' | 'lot' | 'order';

/**
 * The markers of active entries, and of marks that have ended. `sector` selects its own entries and those of the whole event;
 * null selects all.
 */
export function logMarkers(view: DeskView, sector: string | null): readonly LogMarker[] {
  const takenBack = readTakenBack(view.log);
  return view.log.flatMap((row) => {
    const isHere = sector === null || row.sector === null || row.sector === sector;
    const end = takenBack.get(row.id);
    const marker = isHere && end?.why !== 'mistake' ? describe(view, row) : null;
    if (marker === null) return [];
    const atMs = row.kind === 'mark' ? (row.data.sinceMs ?? row.atMs) : row.atMs;
    const until = end ? `, até ${formatTime(end.atMs, view.state.timeZone)}` : '';
    return [{ atMs, kind: marker.kind, text: `${marker.text}${until}` }];
  });
}

function describe(view: DeskView, row: LogRow): Omit<LogMarker, 'atMs'> | null {
  const where = row.sector === null ? '' : ` · ${sectorName(view.sectors, row.sector)}`;
  switch (row.kind) {
    case 'lot':
      return { kind: 'lot', text: `${lotWords(row.data.count)}${where}` };
    case 'mark': {
      const kind = makesIncomplete(row.data.mark) ? 'caveat' : 'suspended';
      return { kind, text: `${MARK_WORDS[row.data.mark]}${where}` };
    }
    case 'occurrence':
      return { kind: 'occurrence', text: `“${row.data.text}”${where}` };
    case 'alarm':
      return { kind: 'alarm', text: `alarme: ${RULE_WORDS[row.data.rule]}${where}` };
    case 'kick-off': {
      const time = formatTime(row.data.kickOffAtMs, view.state.timeZone);
      return { kind: 'order', text: `início às ${time}` };
    }
    case 'entry-closed':
      return { kind: 'order', text: 'entrada encerrada' };
    case 'evacuation':
      return { kind: 'evacuation', text: 'evacuação' };
    default:
      return null;
  }
}

/** "lote de 412 leituras" */
export function lotWords(count: number): string {
  const readings = Math.abs(count);
  const noun = readings === 1 ? 'leitura' : 'leituras';
  return `lote de ${formatCount(readings)} ${noun}${count < 0 ? ' desfeitas' : ''}`;
}
