import { useRecordAway } from './record-away.ts';

/** Beside the buttons that do nothing for now, why. */
export function RecordAwayNote() {
  return useRecordAway() ? (
    <p className="record-away">nada pode ser lançado agora: o registro está fora do ar; volta sozinho</p>
  ) : null;
}
