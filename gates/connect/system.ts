/** How the tables and columns of a system are called in the database at hand, as quoted SQL. */
export interface Names {
  table(name: string): string;
  /** Returns the column of a row, or what stands for it where this version has none. */
  column(table: string, row: string, column: string): string;
}

/** A table of a ticketing system that tickets follow from. */
export interface SourceTable {
  readonly name: string;
  /** What former versions call the table. */
  readonly formerName?: string;
  /** The columns that the view reads. No other leaves their server, except those of the primary key. */
  readonly columns: readonly string[];
  /** What former versions call a column. */
  readonly formerly?: Readonly<Record<string, string>>;
  /** What stands for a column, in SQL, in versions that lack it. */
  readonly standIns?: Readonly<Record<string, string>>;
  /** A policy of row security that shows every row, unless a session asks for less, as ours do not. */
  readonly openPolicy?: string;
  /** The groups of tickets that a row changes: a column, or a query in SQL about the row. */
  readonly group: string | ((row: string, names: Names, choice: Choice) => string);
  /** Columns by which rows are looked up, beside the primary key and the group. */
  readonly indexed?: readonly string[];
}

/** Which tickets of a system are meant. */
export interface Choice {
  readonly event: string;
  readonly list: string | undefined;
}

/**
 * A ticketing system as data. The queries for choosing return rows of `id`, `name` and `tickets`; they read columns by `to_jsonb`, as these differ between versions and decide nothing.
 */
export interface System {
  readonly name: string;
  /** What no list has, for an operator whose list has no tickets. */
  readonly leavesOut?: string;
  /** The group of the first table is a column, and its type that of all groups. */
  readonly tables: readonly [SourceTable, ...SourceTable[]];
  readonly choosing?: {
    readonly events: (names: Names) => string;
    readonly lists?: (names: Names, event: string) => string;
    readonly categories: (names: Names, event: string) => string;
    /** Returns a query of the number of tickets that the category with this `id` may have, where one can be known. */
    readonly capacity?: (names: Names, id: string) => string;
  };
  /** Returns a query of `key`, `grp`, `is_valid_ticket`, `entrou` and `setor`: a row for each ticket of a holder. */
  readonly view: (names: Names, choice: Choice) => string;
}
