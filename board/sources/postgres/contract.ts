/**
 * What this server and a database agree on: what is observed, published, granted and required. The migration sets it up,
 * the preflight checks it, and 002-observed.sql is the same in SQL (contract.test.ts compares them).
 */

/** The only columns of a ticket that the server reads: all that decides the counts. */
export const OBSERVED_COLUMNS = ['event_id', 'id', 'is_valid_ticket', 'entrou', 'setor'] as const;

/** In alphabetical order, as the catalogue's answers are compared. */
export const OBSERVED_COLUMNS_SORTED: readonly string[] = OBSERVED_COLUMNS.toSorted();

/** The columns as a list in SQL. */
export const OBSERVED_COLUMNS_SQL = OBSERVED_COLUMNS.join(', ');

/** All tables that the migration makes or finds, in `public`. The gates may write them, the observer none. */
export const TABLES = [
  'tickets',
  'sectors',
  'events',
  'event_details',
  'ticket_times',
  'kept_readings',
  'refused_readings',
  'watched_files',
] as const;

export const PUBLICATION = 'triagem';

/** The whole of it, for CREATE PUBLICATION … FOR. It publishes all operations and filters no row. */
export const PUBLISHED_TABLES_SQL = `table public.tickets (${OBSERVED_COLUMNS_SQL}), table public.sectors`;

/**
 * The unique index on the observed columns, which is the replica identity of the tickets: a change brings the old values
 * of just these.
 */
export const IDENTITY_INDEX = 'tickets_observed';

/** What decides how many tickets wait as entered, for a desk: not at which gate, nor in which sector. */
export const KEPT_COLUMNS = ['event_id', 'id', 'at', 'received_at', 'kept_at', 'reason', 'entrou'] as const;

/** All that the observer may do, beside connecting and replicating. */
export const OBSERVER_GRANTS_SQL: readonly string[] = [
  'USAGE ON SCHEMA public',
  `SELECT (${OBSERVED_COLUMNS_SQL}) ON public.tickets`,
  'SELECT ON public.sectors',
  'SELECT ON public.event_details',
  `SELECT (${KEPT_COLUMNS.join(', ')}) ON public.kept_readings`,
  'SELECT ON public.refused_readings',
];

/** `server_version_num`: the oldest with publications of some columns. */
export const MIN_SERVER_VERSION = 150_000;

export const REQUIRED_WAL_LEVEL = 'logical';
