import { loadCommands } from './commands.ts';
import { errorCode, errorMessage, GatesError, outputError, printable, UsageError } from './cli/errors.ts';

const HELP = `Usage: npm run -s gates -- COMMAND [options]

What happens at the gates, elsewhere in real life: the only part of Triagem that writes tickets.

  url              print the connection string for a gate system
  import FILE.csv  add tickets from a file
  watch FOLDER     import each file that is dropped there
  cancel FILE      mark the tickets of a list as not valid
  enter            let ticket holders in
  revert           take entries back
  listen           take tickets over HTTP
  connect SYSTEM   follow the database of alf.io, pretix, Hi.Events or another ticketing system
  compare          compare what "connect" brings with its source
  check            look over everything the evening before a match
  kept             list what listen keeps until its tickets come, or discard it
  simulate         fill an event with simulated tickets and let the spectators in
  backup FILE      write all events, sectors and tickets into a file
  restore FILE     write those of a backup into a database without tickets
  event COMMAND    create, set, list, show or delete a match
  sector COMMAND   list the sectors of a match, or set the capacity of one
  record COMMAND   export, import, withdraw or verify what flowed

Every command: --help.
Writes to GATES_DATABASE_URL, record to RECORD_DATABASE_URL; if it is not set, to the embedded database while it runs
(npm start, npm run demo).
The event is that of --event, else EVENT_ID, else the one that the running board shows. Each command first names it.
`;

const USAGE_ERROR = 2;
/** Limits how long a connection may take to end after the command: the database may hang. */
const END_LIMIT_MS = 2_000;

let isOutputLost = false;
process.stdout.on('error', (error) => {
  // The reader may leave: the command still finishes, and its exit code reports the result.
  if (errorCode(error) === 'EPIPE' || isOutputLost) return;
  isOutputLost = true;
  process.exitCode ||= fail(outputError(error).message, 1);
});
process.stderr.on('error', () => {});
const exitCode = await main(process.argv.slice(2));
process.exitCode = isOutputLost ? exitCode || 1 : exitCode;
// The channel to the demo must not keep the process alive.
if (process.connected) process.disconnect();
setTimeout(() => process.exit(), END_LIMIT_MS).unref();

async function main(args: readonly string[]): Promise<number> {
  const commands = await loadCommands(args[0] ?? '');
  const words = Object.hasOwn(commands, args.slice(0, 2).join(' ')) ? 2 : 1;
  const name = args.slice(0, words).join(' ');
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const wantsHelp = args.some((arg) => arg === '--help' || arg === '-h');
  if (wantsHelp) {
    process.stdout.write(command?.help ?? HELP);
    return 0;
  }
  if (!command) {
    return fail(
      name === ''
        ? 'No command given. See npm run -s gates -- --help.'
        : `There is no command "${name}". See npm run -s gates -- --help.`,
      USAGE_ERROR,
    );
  }
  try {
    return await command.run(args.slice(words), process.env);
  } catch (error) {
    if (error instanceof UsageError) {
      return fail(`${error.message} See npm run -s gates -- ${name} --help.`, USAGE_ERROR);
    }
    if (error instanceof GatesError) return fail(error.message, error.exitCode);
    return fail(`${name} failed: ${errorMessage(error)}`, 1);
  }
}

function fail(message: string, code: number): number {
  process.stderr.write(`${printable(message)}\n`);
  return code;
}
