import type postgres from 'postgres';
import { DatabaseSetupError } from '../setup-error.ts';
import { identityMisfits, keyMisfits, ownIdentityMisfits, publicationMisfits } from './identity.ts';
import { type Misfit, type PresentTable, readTable } from './present-table.ts';

/** The types that will do for each column, the first being the one we make. */
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

/**
 * Tables that are there already are kept, if they can be observed as they are and no gate's write would fail for it.
 *
 * @throws DatabaseSetupError if not: with the statement that mends a table of ours, and never one that alters another.
 */
export async function assertTablesFit(sql: postgres.Sql): Promise<void> {
  for (const [name, columns] of Object.entries(REQUIRED_COLUMNS)) {
    const table = await readTable(sql, name);
    if (!table) continue;
    const misfits = [...shapeMisfits(table), ...columnMisfits(table, columns)];
    if (table.isPlain && name === 'tickets') {
      for (const check of [keyMisfits, publicationMisfits, ownIdentityMisfits]) {
        misfits.push(...(await check(sql, table)));
      }
    }
    if (table.isPlain && name === 'sectors') misfits.push(...(await identityMisfits(sql, table)));
    if (misfits.length > 0) throw doesNotFit(table, misfits);
  }
}

function shapeMisfits(table: PresentTable): Misfit[] {
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

function columnMisfits(table: PresentTable, columns: Readonly<Record<string, readonly string[]>>): Misfit[] {
  if (!table.isPlain) return [];
  return Object.entries(columns).flatMap(([column, types]): Misfit[] => {
    const is = table.columns.find(({ name }) => name === column);
    const wanted = types[0] ?? 'text';
    if (!is)
      return [{ why: `it lacks the column ${column}`, clause: `ADD COLUMN ${column} ${wanted} NOT NULL` }];
    const misfits: Misfit[] = [];
    if (is.isGenerated)
      misfits.push({
        why: `its column ${column} is generated`,
        clause: `ALTER COLUMN ${column} DROP EXPRESSION`,
      });
    if (!types.includes(is.type))
      misfits.push({
        why: `its column ${column} is ${is.type}, not ${wanted}`,
        clause: `ALTER COLUMN ${column} TYPE ${wanted} USING ${column}::${wanted}`,
      });
    if (!is.isNotNull)
      misfits.push({
        why: `its column ${column} may be null`,
        clause: `ALTER COLUMN ${column} SET NOT NULL`,
      });
    return misfits;
  });
}

function doesNotFit({ name, isOurs }: PresentTable, misfits: readonly Misfit[]): DatabaseSetupError {
  const why = misfits.map((misfit) => misfit.why).join('; ');
  const clauses = misfits.flatMap(({ clause }) => (clause === undefined ? [] : [clause]));
  if (isOurs && clauses.length === misfits.length) {
    return new DatabaseSetupError(
      `The table public.${name} is no longer as Triagem made it: ${why}.`,
      `ALTER TABLE public.${name} ${clauses.join(', ')};`,
    );
  }
  return new DatabaseSetupError(
    `A table public.${name} is there already, and cannot be used as it is: ${why}.`,
    'Leave it to the system that it belongs to, and give Triagem a database of its own: make one, name it in MIGRATE_DATABASE_URL, DATABASE_URL and GATES_DATABASE_URL, and run this again (README.md, "Tables that are there already").',
  );
}
