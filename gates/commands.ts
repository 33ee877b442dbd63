import type { Command } from './cli/command.ts';

type Group = Readonly<Record<string, Command>>;

/** The commands of one word. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  url: async () => (await import('./cli/url.ts')).url,
  import: async () => (await import('./import/import.ts')).importTickets,
  watch: async () => (await import('./import/watch.ts')).watch,
  cancel: async () => (await import('./import/cancel.ts')).cancel,
  check: async () => (await import('./check/check.ts')).check,
  connect: async () => (await import('./connect/connect.ts')).connectSystem,
  compare: async () => (await import('./connect/compare.ts')).compare,
  enter: async () => (await import('./simulator/enter.ts')).enter,
  revert: async () => (await import('./simulator/enter.ts')).revert,
  listen: async () => (await import('./http/listen.ts')).listen,
  kept: async () => (await import('./http/list-kept.ts')).kept,
  simulate: async () => (await import('./simulator/simulate.ts')).simulate,
  backup: async () => (await import('./backup/backup.ts')).backup,
  restore: async () => (await import('./backup/restore.ts')).restore,
};

/** Those of two words, with the first of them alone. */
const GROUPS: Readonly<Record<string, () => Promise<Group>>> = {
  event: async () => (await import('./events/event-commands.ts')).EVENT_COMMANDS,
  sector: async () => (await import('./events/sector/sector-commands.ts')).SECTOR_COMMANDS,
  record: async () => (await import('../desk/tool/record-commands.ts')).RECORD_COMMANDS,
};

/** All first words. */
export const WORDS: readonly string[] = [...Object.keys(COMMANDS), ...Object.keys(GROUPS)];

/** Loads the commands that begin with a word, by their names, and no others: a program starts in half the time. */
export async function loadCommands(word: string): Promise<Group> {
  const group = Object.hasOwn(GROUPS, word) ? GROUPS[word] : undefined;
  const command = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  if (group) return group();
  return command ? { [word]: await command() } : {};
}
