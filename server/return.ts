import { createInterface } from 'node:readline/promises';
import { readCommandLine, runProgram, wrongUsage } from './command-line.ts';
import { connectionStringProblem } from '../database/connection-string.ts';
import { returnTo } from '../database/schema/return-to.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { readPlainText } from '../domain/plain-text.ts';

/** The process of `npm run return`: an operator goes back to a former primary on purpose. */

const HELP = `Usage: npm run return -- [HOST:PORT] --by NAME [--yes]

Goes back to a former primary on purpose: it counts again, for every process and every screen, and the primary that took
its place counts no longer. What only that one has is gone from the screens; what only its record has is written again by
a process that has it in memory. The log of each event states who went back, and when.

  HOST:PORT   which host, where MIGRATE_DATABASE_URL names several
  --by NAME   who goes back
  --yes       do not ask; needed where nobody can be asked

Settings:

  MIGRATE_DATABASE_URL  owns Triagem's tables: nobody else may go back
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
  const ownerUrl = env['MIGRATE_DATABASE_URL']?.trim() || undefined;
  const [host, ...more] = positionals;
  const faults = more.length > 0 ? ['give one host'] : [];
  const fault = ownerUrl === undefined ? 'is not set' : connectionStringProblem(ownerUrl);
  if (fault !== undefined) faults.push(`MIGRATE_DATABASE_URL ${fault}`);
  const by = readName(values.by, faults);
  const canAsk = process.stdin.isTTY && process.stderr.isTTY;
  if (!values.yes && !canAsk) faults.push('it needs --yes, as nobody is here to be asked');
  if (ownerUrl === undefined || faults.length > 0) throw wrongUsage(`${faults.join('; ')}.`, PROGRAM);
  const log = (line: string): void => void process.stdout.write(`${line}\n`);
  await returnTo({
    ownerUrl,
    host,
    by,
    atMs: Date.now(),
    confirm: values.yes ? async () => {} : confirm,
    log,
  });
  return 0;
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
  if (/^y(es)?$/i.test(answer?.trim() ?? '')) return;
  if (answer === undefined) process.stderr.write('\n');
  throw new OperatorError('Nothing was changed.');
}

function readName(value: unknown, faults: string[]): string {
  const name = readPlainText(value, MAX_NAME_LENGTH);
  if ('text' in name) return name.text;
  faults.push('say who goes back, with --by');
  return '';
}
