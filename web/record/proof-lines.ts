import { formatDayAndTime } from './record-time.ts';
import type { RecordView } from './record-view.ts';

/** Who made the record, when, and what it is known by. */
export function proofLines({ desk, proof, title, producedBy, buildId }: RecordView): readonly string[] {
  const { nowMs, timeZone, eventId } = desk.state;
  const { minutes, log } = proof;
  const made = `Triagem ${buildId} · produzido por ${producedBy} (nome declarado) em ${formatDayAndTime(nowMs, timeZone)}`;
  return [
    `${isSimulated(proof, desk.log) ? 'SIMULADO · ' : ''}${title} · ${eventId}`,
    made,
    `minutes.csv?to=${minutes.to} · SHA-256 ${minutes.sha256}`,
    `log.csv?to=${log.to} · SHA-256 ${log.sha256}`,
    log.lastLink === null ? 'registro de ocorrências vazio' : `último elo ${log.to}:${log.lastLink}`,
  ];
}

/** Whether any of it is invented. */
export function isSimulated({ source }: RecordView['proof'], log: RecordView['desk']['log']): boolean {
  return source === 'simulated' || log.some((row) => row.source === 'simulated');
}
