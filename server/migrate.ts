import { parseArgs } from 'node:util';
import { migrate } from './database/schema/migrate.ts';
import { DatabaseSetupError, errorMessage } from './database/setup-error.ts';

const HELP = `Usage: npm run migrate

Prepares a PostgreSQL server of yours (15 or newer, wal_level = logical): tables, replica identity, publication and
roles. Run it again at any time: what is in place stays as it is. Settings, each postgres://USER:PASSWORD@HOST:PORT/DATABASE:

  MIGRATE_DATABASE_URL  owns the database; may create roles and give REPLICATION (or is a superuser)
  DATABASE_URL          the server's role: observes, writes nothing; created with this password if missing
  GATES_DATABASE_URL    the gates' role: writes tickets; created with this password if missing (optional)

The embedded database needs none of this: it is prepared whenever it starts.
`;

const USAGE_ERROR = 2;

process.exitCode = await run(process.argv.slice(2), process.env);

async function run(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  try {
    const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
    if (values.help === true) {
      process.stdout.write(HELP);
      return 0;
    }
  } catch (error) {
    return fail(
      `${errorMessage(error).replace(/(\. .*)?$/s, '.')} See npm run migrate -- --help.`,
      USAGE_ERROR,
    );
  }
  const ownerUrl = env['MIGRATE_DATABASE_URL'] ?? '';
  const observerUrl = env['DATABASE_URL'] ?? '';
  const gatesUrl = env['GATES_DATABASE_URL'] ?? '';
  const faults = Object.entries({
    MIGRATE_DATABASE_URL: ownerUrl,
    DATABASE_URL: observerUrl,
    GATES_DATABASE_URL: gatesUrl,
  }).flatMap(([name, url]) => {
    if (url === '') return name === 'GATES_DATABASE_URL' ? [] : [`${name} is not set`];
    return isPostgresUrl(url) ? [] : [`${name} is no postgres://USER:PASSWORD@HOST:PORT/DATABASE`];
  });
  if (faults.length > 0) return fail(`${faults.join('; ')}. See npm run migrate -- --help.`, USAGE_ERROR);
  try {
    const log = (line: string): void => {
      process.stdout.write(`${line}\n`);
    };
    if (gatesUrl === '') log('GATES_DATABASE_URL is not set: no role for the gates is made');
    await migrate({ ownerUrl, observerUrl, gatesUrl: gatesUrl === '' ? undefined : gatesUrl, log });
    return 0;
  } catch (error) {
    const known = error instanceof DatabaseSetupError;
    return fail(known ? error.message : `The migration failed: ${errorMessage(error)}`, 1);
  }
}

function isPostgresUrl(text: string): boolean {
  return URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
}

function fail(message: string, code: number): number {
  process.stderr.write(`${message}\n`);
  return code;
}
