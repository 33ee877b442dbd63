import { createContext, useContext } from 'react';

const RecordAway = createContext(false);

/** Whether the record is away: no command would be taken. */
export const RecordAwayProvider = RecordAway.Provider;

export function useRecordAway(): boolean {
  return useContext(RecordAway);
}

/** Of the notice on top of the page, which says it at length. */
export const RECORD_NOTICE_ID = 'record-notice';
