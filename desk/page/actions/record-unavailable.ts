import { createContext, useContext } from 'react';

const RecordUnavailable = createContext(false);

/** While the record is unavailable, no command would be accepted. */
export const RecordUnavailableProvider = RecordUnavailable.Provider;

export function useRecordUnavailable(): boolean {
  return useContext(RecordUnavailable);
}

/** The notice on top of the page explains it in full. */
export const RECORD_NOTICE_ID = 'record-notice';
