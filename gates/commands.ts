import { backup } from './backup/backup.ts';
import { cancel } from './import/cancel.ts';
import { check } from './check/check.ts';
import { compare } from './connect/compare.ts';
import { connectSystem } from './connect/connect.ts';
import type { Command } from './cli/command.ts';
import { enter, revert } from './simulator/enter.ts';
import { EVENT_COMMANDS } from './events/event-commands.ts';
import { listen } from './http/listen.ts';
import { kept } from './http/list-kept.ts';
import { importTickets } from './import/import.ts';
import { RECORD_COMMANDS } from '../desk/tool/record-commands.ts';
import { restore } from './backup/restore.ts';
import { SECTOR_COMMANDS } from './events/sector/sector-commands.ts';
import { simulate } from './simulator/simulate.ts';
import { url } from './cli/url.ts';
import { watch } from './import/watch.ts';

/** The commands by name, which has one word or two. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  url,
  import: importTickets,
  watch,
  cancel,
  check,
  connect: connectSystem,
  compare,
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
