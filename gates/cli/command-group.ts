import type { Command } from './command.ts';
import { UsageError } from './errors.ts';

/** Names commands by two words. The first word alone is a command that only lists them. */
export function commandGroup(
  word: string,
  help: string,
  commands: Readonly<Record<string, Command>>,
): Readonly<Record<string, Command>> {
  const names = Object.keys(commands);
  const which = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  const group: Command = {
    help,
    async run([name]) {
      throw new UsageError(
        name === undefined || name.startsWith('-')
          ? `Which? ${word} ${which}.`
          : `There is no command "${word} ${name}".`,
      );
    },
  };
  const entries = Object.entries(commands).map(([name, command]) => [`${word} ${name}`, command] as const);
  return { [word]: group, ...Object.fromEntries(entries) };
}
