/**
 * Stands in PostgreSQL's log within a transaction that brings something back from a backup, as the prefix of a logical
 * message: whoever follows the log can tell that nobody entered by it. The message is the ID of the event, or empty for all.
 */
export const RESTORE_MARK = 'triagem restore';
