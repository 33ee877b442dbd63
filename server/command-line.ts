import { parseArgs, type ParseArgsConfig } from 'node:util';
import { errorMessage } from '../database/setup-error.ts';
import { OperatorError } from '../domain/operator-error.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

const USAGE_ERROR = 2;

/** Ends the program: `text` is the requested help, or what is wrong with the command line. */
export class CommandLineEnd extends Error {
  override readonly name = 'CommandLineEnd';
  readonly exitCode: number;

  constructor(text: string, exitCode = USAGE_ERROR) {
    super(text);
    this.exitCode = exitCode;
  }

  /** Prints help to standard output, errors to standard error. Returns the exit code. */
  say(): number {
    (this.exitCode === 0 ? process.stdout : process.stderr).write(`${this.message.trimEnd()}\n`);
    return this.exitCode;
  }
}

/**
 * Parses a program's options, and its other arguments if it takes any. `program`: how it is run, as "npm start".
 *
 * @throws CommandLineEnd for `--help`, and for unknown arguments.
 */
export function readCommandLine<const O extends Options>(
  args: readonly string[],
  {
    program,
    help,
    options,
    takesNames = false,
  }: {
    readonly program: string;
    readonly help: string;
    readonly options: O;
    readonly takesNames?: boolean;
  },
) {
  try {
    const parsed = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: takesNames,
    });
    if ((parsed.values as { help?: boolean }).help) throw new CommandLineEnd(help, 0);
    return { values: parsed.values, positionals: parsed.positionals as readonly string[] };
  } catch (error) {
    if (error instanceof CommandLineEnd) throw error;
    // The first sentence names the argument; the others explain how to escape a dash.
    throw wrongUsage(errorMessage(error).replace(/(\. .*)?$/s, '.'), program);
  }
}

export function wrongUsage(what: string, program: string): CommandLineEnd {
  return new CommandLineEnd(`${what} See ${program} -- --help.`);
}

/** Runs a program, whose exit code `run` returns. `failed` begins the message of an error that is no operator's. */
export async function runProgram(
  run: (args: string[], env: NodeJS.ProcessEnv) => Promise<number>,
  failed: string,
): Promise<void> {
  process.exitCode = await run(process.argv.slice(2), process.env).catch((error: unknown) => {
    if (error instanceof CommandLineEnd) return error.say();
    const text = error instanceof OperatorError ? error.message : `${failed}: ${errorMessage(error)}`;
    process.stderr.write(`${text}\n`);
    return 1;
  });
}
