import type postgres from 'postgres';
import { DatabaseSetupError } from '../setup-error.ts';
import { identityProblems, keyProblems, ownIdentityProblems, publicationProblems } from './identity.ts';
import { type TableProblem, type ExistingTable, readTable } from './existing-table.ts';

/** The accepted types of each column, the first being the one that is made. */
const REQUIRED_COLUMNS = {
  events: { id: ['text', 'character varying'] },
  sectors: { event_id: ['text', 'character varying'], code: ['text', 'character varying'], data: ['jsonb'] },
  tickets: {
    event_id: ['text', 'character varying'],
    id: ['text', 'character varying'],
    is_valid_ticket: ['boolean'],
    entrou: ['boolean'],
    setor: ['text', 'character varying'],
  },
} as const satisfies Record<string, Record<string, readonly string[]>>;

/** Tables that no gate system brings, and what they hold. */
const OWN_TABLES = [
  { schema: 'public', name: 'event_details', what: 'the titles and times of events' },
  { schema: 'public', name: 'ticket_times', what: 'the times of messages about tickets' },
  { schema: 'public', name: 'kept_readings', what: 'readings of tickets that are not there' },
  { schema: 'public', name: 'refused_readings', what: 'how many messages of gates were refused' },
  { schema: 'public', name: 'watched_files', what: 'the files of tickets that are imported and not moved' },
  { schema: 'triagem', name: 'minutes', what: 'what flowed through the gates' },
  { schema: 'triagem', name: 'log', what: 'what happened at the events' },
];

/**
 * Keeps existing tables if they can be observed and no write of a gate would fail for it.
 *
 * @throws DatabaseSetupError: they cannot; with the statement that fixes a table of ours, and never one that alters another.
 */
export async function assertTablesUsable(sql: postgres.Sql): Promise<void> {
  for (const [name, columns] of Object.entries(REQUIRED_COLUMNS)) {
    const table = await readTable(sql, name);
    if (!table) continue;
    const problems = [...shapeProblems(table), ...columnProblems(table, columns)];
    if (table.isPlain && name === 'tickets') {
      for (const check of [keyProblems, publicationProblems, ownIdentityProblems]) {
        problems.push(...(await check(sql, table)));
      }
    }
    if (table.isPlain && name === 'sectors') problems.push(...(await identityProblems(sql, table)));
    if (problems.length > 0) throw doesNotFit(table, problems);
  }
  for (const { schema, name, what } of OWN_TABLES) {
    const table = await readTable(sql, name, schema);
    if (table && !table.isOurs) {
      throw doesNotFit(table, [{ why: `it is to hold ${what}, and another made it` }]);
    }
  }
}

function shapeProblems(table: ExistingTable): TableProblem[] {
  if (!table.isPlain) {
    return [
      {
        why: 'it is not one plain table (it is partitioned, inherited, a view or the like) and would be observed in part only',
      },
    ];
  }
  return [
    ...(table.isLogged
      ? []
      : [{ why: 'it is unlogged, so that its changes cannot be observed', clause: 'SET LOGGED' }]),
    ...(table.hasRowSecurity
      ? [
          {
            why: 'it has row security, which would hide rows from the counts',
            clause: 'DISABLE ROW LEVEL SECURITY',
          },
        ]
      : []),
  ];
}

function columnProblems(
  table: ExistingTable,
  columns: Readonly<Record<string, readonly string[]>>,
): TableProblem[] {
  if (!table.isPlain) return [];
  return Object.entries(columns).flatMap(([column, types]): TableProblem[] => {
    const is = table.columns.find(({ name }) => name === column);
    const wanted = types[0] ?? 'text';
    if (!is)
      return [{ why: `it lacks the column ${column}`, clause: `ADD COLUMN ${column} ${wanted} NOT NULL` }];
    const problems: TableProblem[] = [];
    if (is.isGenerated)
      problems.push({
        why: `its column ${column} is generated`,
        clause: `ALTER COLUMN ${column} DROP EXPRESSION`,
      });
    if (!types.includes(is.type))
      problems.push({
        why: `its column ${column} is ${is.type}, not ${wanted}`,
        clause: `ALTER COLUMN ${column} TYPE ${wanted} USING ${column}::${wanted}`,
      });
    if (is.isNondeterministic)
      problems.push({
        why: `its column ${column} has a collation for which different texts are equal`,
        clause: `ALTER COLUMN ${column} TYPE ${wanted} COLLATE "C"`,
      });
    if (!is.isNotNull)
      problems.push({
        why: `its column ${column} may be null`,
        clause: `ALTER COLUMN ${column} SET NOT NULL`,
      });
    return problems;
  });
}

function doesNotFit(
  { schema, name, isOurs }: ExistingTable,
  problems: readonly TableProblem[],
): DatabaseSetupError {
  const why = problems.map((problem) => problem.why).join('; ');
  const clauses = problems.flatMap(({ clause }) => (clause === undefined ? [] : [clause]));
  if (isOurs && clauses.length === problems.length) {
    return new DatabaseSetupError(
      `The table ${schema}.${name} is no longer as Triagem made it: ${why}.`,
      `ALTER TABLE ${schema}.${name} ${clauses.join(', ')};`,
    );
  }
  return new DatabaseSetupError(
    `A table ${schema}.${name} is there already, and cannot be used as it is: ${why}.`,
    'Leave it to the system that it belongs to, and give Triagem a database of its own: make one, name it in MIGRATE_DATABASE_URL, DATABASE_URL and GATES_DATABASE_URL, and run this again (docs/install.md, "Tables that are there already").',
  );
}
