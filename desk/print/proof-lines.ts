import { formatDayAndTime } from '../page/event-time.ts';
import type { RecordView } from './record-view.ts';

/** A title of more than a hundred characters; the whole of it stands on the first page. */
const LONG_TITLE = /^(.{99}).{2,}$/su;

/** Who made the record and when, with the hashes of its files. */
export function proofLines({ desk, proof, title, producedBy }: RecordView): readonly string[] {
  const { nowMs, timeZone, eventId } = desk.state;
  const { minutes, log } = proof;
  const server = desk.log.findLast(({ kind }) => kind === 'started');
  const version = server?.kind === 'started' ? ` ${server.data.version}` : '';
  const made = `Triagem${version} · produzido por ${producedBy} (nome declarado) em ${formatDayAndTime(nowMs, timeZone)}`;
  return [
    `${isSimulated(proof, desk.log) ? 'SIMULADO · ' : ''}${title} · ${eventId}`,
    made,
    `minutes.csv?to=${minutes.to} · SHA-256 ${minutes.sha256}`,
    `log.csv?to=${log.to} · SHA-256 ${log.sha256}`,
    log.lastLink === null ? 'registro de ocorrências vazio' : `último elo ${log.to}:${log.lastLink}`,
  ];
}

/** The lines for the foot of each page, with a long title cut. */
export function footLines(view: RecordView): readonly string[] {
  return proofLines({ ...view, title: view.title.replace(LONG_TITLE, '$1…') });
}

/** Whether any of the record was simulated. */
export function isSimulated({ source }: RecordView['proof'], log: RecordView['desk']['log']): boolean {
  return source === 'simulated' || log.some((row) => row.source === 'simulated');
}
