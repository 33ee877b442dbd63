/**
 * The prefix of the logical message that a transaction of a restore writes into PostgreSQL's log: its changes are no
 * admissions. The content of the message is the ID of the event, or empty for all.
 */
export const RESTORE_MARK = 'triagem restore';
