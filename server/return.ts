import { createInterface } from 'node:readline/promises';
import { readCommandLine, runProgram, wrongUsage } from './command-line.ts';
import { connectionStringProblem } from '../database/connection-string.ts';
import { candidateFolders } from '../database/data-folders.ts';
import { findRunningOwner } from '../database/embedded/running-owner.ts';
import { OWNER_PLACE } from '../database/schema/preconditions.ts';
import { type ReturnOptions, returnTo } from '../database/schema/return-to.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { readPlainText } from '../domain/plain-text.ts';
import { isYes } from '../domain/yes.ts';

/** The process of `npm run return`: an operator goes back on purpose, to a former primary or an older copy. */

const HELP = `Usage: npm run return -- [HOST:PORT] --by NAME [--yes]

Goes back to a former primary on purpose, or to an older copy of the database: it counts again, for every process and
every screen, and the primary that took its place counts no longer. What only that one has is gone from the screens; what only its record has is written again by
a process that has it in memory. The log of each event states who went back, and when.

  HOST:PORT   which host, where MIGRATE_DATABASE_URL names several
  --by NAME   who goes back
  --yes       do not ask; needed where nobody can be asked

Settings:

  MIGRATE_DATABASE_URL  owns Triagem's tables: nobody else may go back. Not for the embedded database, which is found while
                        its board runs
  DATA_DIR              where that is, if it is neither .triagem in the project nor /var/lib/triagem
`;

const PROGRAM = 'npm run return';
const MAX_NAME_LENGTH = 60;

await runProgram(run, 'It failed');

async function run(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { values, positionals } = readCommandLine(args, {
    program: PROGRAM,
    help: HELP,
    options: { by: { type: 'string' }, yes: { type: 'boolean' } },
    takesNames: true,
  });
  const [host, ...more] = positionals;
  const faults = more.length > 0 ? ['give one host'] : [];
  const owner = await findOwner(env, faults);
  const by = readName(values.by, faults);
  const canAsk = process.stdin.isTTY && process.stderr.isTTY;
  if (!values.yes && !canAsk) faults.push('it needs --yes, as nobody is here to be asked');
  if (owner === undefined || faults.length > 0) throw wrongUsage(`${faults.join('; ')}.`, PROGRAM);
  const log = (line: string): void => void process.stdout.write(`${line}\n`);
  await returnTo({
    ...owner,
    host,
    by,
    now: Date.now,
    confirm: values.yes ? async () => {} : confirm,
    log,
  });
  return 0;
}

/** Finds the owner of the setting, else of the embedded database that runs. Faults are added to `faults`. */
async function findOwner(
  env: NodeJS.ProcessEnv,
  faults: string[],
): Promise<Pick<ReturnOptions, 'ownerUrl' | 'place'> | undefined> {
  const given = (name: string): string | undefined => env[name]?.trim() || undefined;
  const ownerUrl = given(OWNER_PLACE.setting);
  if (ownerUrl !== undefined) {
    const fault = connectionStringProblem(ownerUrl);
    if (fault !== undefined) faults.push(`${OWNER_PLACE.setting} ${fault}`);
    return { ownerUrl, place: OWNER_PLACE };
  }
  const isEmbedded = given('DATABASE_URL') === undefined && given('GATES_DATABASE_URL') === undefined;
  const folders = isEmbedded ? candidateFolders(env['DATA_DIR']) : [];
  const found = await findRunningOwner(folders);
  if (found) {
    const { folder, ownerUrl: foundUrl } = found;
    process.stderr.write(`Using the database in ${folder} (port ${new URL(foundUrl).port}).\n`);
    return { ownerUrl: foundUrl, place: { setting: `the database in ${folder}` } };
  }
  const nor = isEmbedded ? `, and no embedded database runs in ${folders.join(', ')}` : '';
  faults.push(`${OWNER_PLACE.setting} is not set${nor}`);
  return undefined;
}

/** @throws OperatorError unless the answer is yes; Ctrl-C and Ctrl-D are none. */
async function confirm(question: string): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  terminal.once('close', () => closed.abort());
  const answer = await terminal
    .question(`${question} [y/N] `, { signal: closed.signal })
    .catch(() => undefined);
  terminal.close();
  if (isYes(answer)) return;
  if (answer === undefined) process.stderr.write('\n');
  throw new OperatorError('Nothing was changed.');
}

function readName(value: unknown, faults: string[]): string {
  const name = readPlainText(value, MAX_NAME_LENGTH);
  if ('text' in name) return name.text;
  faults.push('say who goes back, with --by');
  return '';
}
