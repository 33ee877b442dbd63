import { parseArgs, type ParseArgsConfig } from 'node:util';
import { DEFAULT_EVENT_ID, isEventId } from '../domain/event.ts';
import { errorMessage, UsageError } from './errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** One command of the gates tool. */
export interface Command {
  /** What --help prints. */
  readonly help: string;
  /** Returns the exit code. Throws UsageError or GatesError, whose message is for the person at the keyboard. */
  run(args: readonly string[], env: Environment): Promise<number>;
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** Option values and exactly the named positional arguments. @throws UsageError that names what is wrong. */
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

function parse<const O extends Options>(args: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (error) {
    // Node goes on to explain how to escape a dash; the first sentence names the option.
    throw new UsageError(errorMessage(error).replace(/(\. .*)?$/s, '.'));
  }
}

/** The event to write to: --event, else EVENT_ID, else the product's. */
export function readEvent(option: string | undefined, env: Environment): string {
  const eventId = option ?? (env['EVENT_ID']?.trim() || DEFAULT_EVENT_ID);
  if (isEventId(eventId)) return eventId;
  const source = option === undefined ? 'EVENT_ID' : '--event';
  throw new UsageError(`${source} is "${eventId}", which is not 32 hexadecimal characters.`);
}

/** A whole number from 1 on. */
export function readCount(name: string, text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count;
  throw new UsageError(`${name} is "${text}", which is not a whole number from 1 on.`);
}
