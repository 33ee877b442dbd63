import { FILLED_MARK } from '../../domain/connection-marks.ts';
import { readArguments, type Command } from '../cli/command.ts';
import { GatesError, printable } from '../cli/errors.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { findTarget } from '../cli/target.ts';
import { compareTickets, countEntered, findDifferentCopies } from './comparison.ts';
import { type Connection, findConnection, systemOf } from './connection.ts';
import { at, type Databases, withDatabases } from './databases.ts';
import { findTables, type FoundTable, shapeOf } from './find-tables.ts';
import { assertNoRowSecurity } from './refusals.ts';
import { readHere, readThere } from './state.ts';
import { copyAnew } from './steps.ts';

const NAMED = 20;

export const compare: Command = {
  help: `Usage: npm run -s gates -- compare [--repair]

Counts the tickets that "connect" brings again at their source, while gates go on, and names each that is not the same
here, and each copied table whose rows are not the same. Settings as for "connect".

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
      const again = againOf(connection);
      const { comment, shape } = await readHere(databases.here, connection.name);
      if (comment !== FILLED_MARK)
        throw new GatesError(`The connection is not complete: run "${again}" again.`);
      if (shape !== shapeOf(tables))
        throw new GatesError(
          `The tables of the source are not those that were copied: run "${again}" again.`,
        );
      await assertNoRowSecurity(databases, tables);
      const comparing = report(databases, connection, tables, stop);
      if (!values.repair) return (await comparing) ? 0 : 1;
      // A subscription that cannot be compared is copied anew all the same.
      await comparing.catch((error: unknown) => {
        if (!(error instanceof GatesError) || stop.aborted) throw error;
        process.stderr.write(`${printable(error.message)}\n`);
      });
      await copyAnew(databases, connection, tables, stop);
      process.stderr.write('Copied anew.\n');
      return (await report(databases, connection, tables, stop)) ? 0 : 1;
    });
  },
};

/** Returns the command that made a connection. */
function againOf({ settings }: Connection): string {
  return `connect ${settings.system ?? '--view …'}`;
}

/** Prints what differs, and returns whether nothing does. */
async function report(
  databases: Databases,
  connection: Connection,
  tables: readonly FoundTable[],
  stop: AbortSignal,
): Promise<boolean> {
  const { isReadable } = await at(databases.reader, (sql) => readThere(sql, connection.name, tables));
  if (!isReadable)
    throw new GatesError(
      `The role of SOURCE_DATABASE_URL may not read the copied columns any more, as after "connect --remove" of another board with the same role: run "${againOf(connection)}" again with its options, which grants the right again.`,
    );
  const { there, differences } = await compareTickets(databases, connection, tables, stop);
  const copies = await findDifferentCopies(databases, connection, tables, stop);
  const lines = differences
    .slice(0, NAMED)
    .map((one) => `${one.key}: at the source ${one.there ?? 'missing'}; here ${one.here ?? 'missing'}`);
  if (differences.length > NAMED) lines.push(`… ${differences.length - NAMED} more`);
  const sum = differences.length === 0 ? 'all the same here' : `${differences.length} differ here`;
  lines.push(`${there.size} tickets at the source, ${countEntered(there)} entered: ${sum}`);
  if (copies.length > 0)
    lines.push(
      `The copied rows of ${copies.join(', ')} are not those of the source, so that the next change may count wrong: --repair copies them anew`,
    );
  process.stdout.write(lines.map((line) => `${printable(line)}\n`).join(''));
  return differences.length === 0 && copies.length === 0;
}
