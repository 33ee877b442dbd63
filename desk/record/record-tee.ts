import type { RecordListener } from './record.ts';

/** Passes a record's events on to two listeners, in order; `returned` to the first one only. */
export function recordTee(first: RecordListener, second: RecordListener | undefined): RecordListener {
  return {
    loaded(record) {
      first.loaded(record);
      second?.loaded(record);
    },
    rows(log, minutes) {
      first.rows(log, minutes);
      second?.rows(log, minutes);
    },
    leader() {
      first.leader();
      second?.leader();
    },
    returned: (primary) => first.returned?.(primary),
  };
}
