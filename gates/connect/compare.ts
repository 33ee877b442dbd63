import type { TicketComparison } from '../../domain/compare-tickets.ts';
import { FILLED_MARK } from '../../domain/connection-marks.ts';
import { readArguments, type Command } from '../cli/command.ts';
import { GatesError, printable } from '../cli/errors.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { findTarget } from '../cli/target.ts';
import { compareWithSource } from './comparison.ts';
import { type Connection, findConnection, systemOf } from './connection.ts';
import { at, type Databases, withDatabases } from './databases.ts';
import { findTables, type FoundTable } from './find-tables.ts';
import { readHere } from './state.ts';
import { copyAnew } from './steps.ts';

const NAMED = 20;

export const compare: Command = {
  help: `Usage: npm run -s gates -- compare [--repair]

Counts the tickets that "connect" brings again at their source, while gates go on, and names each that is not the same
here. Settings as for "connect".

  --repair   copy the tables anew, and bring the tickets into step, also where all are the same now. Meanwhile the board
             is stale. It never asks, and takes no --yes

Exit code 0: all are the same, or were repaired; 1: some differ, or they cannot be compared; 2: a wrong option.
`,
  async run(args, env) {
    const { values } = readArguments(args, { repair: { type: 'boolean', default: false } });
    const stop = stopSignal();
    const target = await findTarget(env);
    return withDatabases(env, target, async (databases) => {
      const connection = await at(databases.here, findConnection);
      if (!connection) throw new GatesError('There is no connection here: "connect" makes one.');
      const tables = await at(databases.owner, (sql) => findTables(sql, systemOf(connection.settings)));
      const { comment } = await readHere(databases.here, connection.name);
      if (comment !== FILLED_MARK)
        throw new GatesError(
          'The connection is not complete: run "connect" again, with the name of the system.',
        );
      const found = await compareWithSource(databases, connection, tables, stop);
      report(found);
      if (values.repair) return repair(databases, connection, tables, stop);
      return found.differences.length === 0 ? 0 : 1;
    });
  },
};

/** Copies the tables anew: the same tickets may come from copies that lack a change, and would lose the next one. */
async function repair(
  databases: Databases,
  connection: Connection,
  tables: readonly FoundTable[],
  stop: AbortSignal,
): Promise<number> {
  await copyAnew(databases, connection, tables, stop);
  const found = await compareWithSource(databases, connection, tables, stop);
  process.stderr.write(`Copied anew: ${found.differences.length} differ.\n`);
  if (found.differences.length === 0) return 0;
  report(found);
  process.stderr.write('What is left came another way, as by "import": it is for you to remove.\n');
  return 1;
}

function report({ tickets, entered, differences }: TicketComparison): void {
  const lines = differences
    .slice(0, NAMED)
    .map(({ key, there, here }) => `${key}: at the source ${there ?? 'missing'}; here ${here ?? 'missing'}`);
  if (differences.length > NAMED) lines.push(`… ${differences.length - NAMED} more`);
  const sum = differences.length === 0 ? 'all the same here' : `${differences.length} differ here`;
  lines.push(`${tickets} tickets at the source, ${entered} entered: ${sum}`);
  process.stdout.write(lines.map((line) => `${printable(line)}\n`).join(''));
}
