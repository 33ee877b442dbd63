import type { RecordListener } from './record.ts';

/** Tells two what one record tells, the first one first; of a return to a former primary it alone. */
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
