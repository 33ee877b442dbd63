import { backup } from './backup.ts';
import { cancel } from './cancel.ts';
import { check } from './check.ts';
import type { Command } from './command.ts';
import { enter, revert } from './enter.ts';
import { EVENT_COMMANDS } from './events/event-commands.ts';
import { listen } from './http/listen.ts';
import { kept } from './kept.ts';
import { importTickets } from './import.ts';
import { RECORD_COMMANDS } from './record/record-commands.ts';
import { restore } from './restore.ts';
import { SECTOR_COMMANDS } from './sector/sector-commands.ts';
import { simulate } from './simulate.ts';
import { url } from './url.ts';
import { watch } from './watch.ts';

/** The commands of the gates tool by the words that name them. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  url,
  import: importTickets,
  watch,
  cancel,
  check,
  enter,
  revert,
  listen,
  kept,
  simulate,
  backup,
  restore,
  ...EVENT_COMMANDS,
  ...SECTOR_COMMANDS,
  ...RECORD_COMMANDS,
};
