import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError } from './errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Command {
  readonly help: string;
  /** Returns the exit code. @throws UsageError or GatesError, with a message for the person at the keyboard. */
  run(args: readonly string[], env: Environment): Promise<number>;
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** Parses options and exactly the named positional arguments. @throws UsageError that names what is wrong. */
export function readArguments<const O extends Options>(
  args: readonly string[],
  options: O,
  names: readonly string[] = [],
) {
  const parsed = parse(args, options);
  const { positionals, values } = parsed;
  const missing = names[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`);
  const excess = positionals[names.length];
  if (excess !== undefined) throw new UsageError(`"${excess}" is one argument too many.`);
  return { values, positionals };
}

/** Node's own messages address programmers, and Node refuses values that begin with a dash. */
function parse<const O extends Options>(args: readonly string[], options: O) {
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const unambiguous: string[] = [];
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) throw new UsageError(`There is no option "${rawName}".`);
    if (option.type === 'boolean') {
      if (value !== undefined) throw new UsageError(`${rawName} takes no value.`);
      unambiguous.push(rawName);
    } else {
      if (value === undefined || (!inlineValue && value.startsWith('--'))) {
        throw new UsageError(`${rawName} needs a value.`);
      }
      unambiguous.push(`${rawName}=${value}`);
    }
  }
  const positionals = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  return parseArgs({
    args: [...unambiguous, '--', ...positionals],
    options,
    strict: true,
    allowPositionals: true,
  });
}

/** @throws UsageError unless the text is a whole number from 1 on. */
export function readCount(name: string, text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count;
  throw new UsageError(`${name} is "${text}", which is not a whole number from 1 on.`);
}
