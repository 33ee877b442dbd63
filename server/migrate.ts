import { readCommandLine, runProgram, wrongUsage } from './command-line.ts';
import { connectionStringProblem } from '../database/connection-string.ts';
import { migrate } from '../database/schema/migrate.ts';

const HELP = `Usage: npm run migrate

Prepares a PostgreSQL server of yours (15 or newer, wal_level = logical): tables, replica identity, publication and
roles. Run it again at any time: what is in place stays as it is. Settings, each postgres://USER:PASSWORD@HOST:PORT/DATABASE,
with a standby postgres://USER:PASSWORD@HOST1:PORT,HOST2:PORT/DATABASE:

  MIGRATE_DATABASE_URL  owns the database; needs CREATEROLE, and from PostgreSQL 16 on REPLICATION. What it may not do
                        (on 15: give REPLICATION) is printed as statements for a superuser
  DATABASE_URL          the server's role: observes, writes nothing; created with this password if missing
  GATES_DATABASE_URL    the gates' role: writes tickets; created with this password if missing (optional)
  RECORD_DATABASE_URL   the record's role: adds minutes and log entries, and can change none of them; created with this
                        password if missing (optional)

The embedded database needs none of this: it is prepared whenever it starts. With FIRESTORE_PROJECT set, whose tickets are
elsewhere, it prepares the record alone: MIGRATE_DATABASE_URL and RECORD_DATABASE_URL, with any wal_level.
`;

const PROGRAM = 'npm run migrate';
const OPTIONAL: ReadonlySet<string> = new Set(['GATES_DATABASE_URL', 'RECORD_DATABASE_URL']);
const RECORD_ALONE_OPTIONAL: ReadonlySet<string> = new Set(['DATABASE_URL', 'GATES_DATABASE_URL']);

await runProgram(run, 'The migration failed');

async function run(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  readCommandLine(args, { program: PROGRAM, help: HELP, options: {} });
  const url = (name: string): string | undefined => env[name]?.trim() || undefined;
  const ownerUrl = url('MIGRATE_DATABASE_URL');
  const observerUrl = url('DATABASE_URL');
  const gatesUrl = url('GATES_DATABASE_URL');
  const recordUrl = url('RECORD_DATABASE_URL');
  const isRecordAlone = url('FIRESTORE_PROJECT') !== undefined;
  const optional = isRecordAlone ? RECORD_ALONE_OPTIONAL : OPTIONAL;
  const faults = Object.entries({
    MIGRATE_DATABASE_URL: ownerUrl,
    DATABASE_URL: observerUrl,
    GATES_DATABASE_URL: gatesUrl,
    RECORD_DATABASE_URL: recordUrl,
  }).flatMap(([name, text]) => {
    if (text === undefined) return optional.has(name) ? [] : [`${name} is not set`];
    if (isRecordAlone && optional.has(name))
      return [`${name} is set beside FIRESTORE_PROJECT, where the tickets are: leave one of them out`];
    const fault = connectionStringProblem(text);
    return fault === undefined ? [] : [`${name} ${fault}`];
  });
  if (ownerUrl === undefined || faults.length > 0) throw wrongUsage(`${faults.join('; ')}.`, PROGRAM);
  const log = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  if (isRecordAlone) log('FIRESTORE_PROJECT is set: the record alone is prepared');
  else if (gatesUrl === undefined) log('GATES_DATABASE_URL is not set: no role for the gates is made');
  await migrate({ ownerUrl, observerUrl, gatesUrl, recordUrl, log });
  return 0;
}
