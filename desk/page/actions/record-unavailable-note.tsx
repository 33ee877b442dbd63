import { useRecordUnavailable } from './record-unavailable.ts';

/** Explains why the buttons beside it do nothing. */
export function RecordUnavailableNote() {
  return useRecordUnavailable() ? (
    <p className="record-away">nada pode ser lançado agora: o registro está fora do ar; volta sozinho</p>
  ) : null;
}
