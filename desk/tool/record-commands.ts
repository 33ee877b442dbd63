import { commandGroup } from '../../gates/cli/command-group.ts';
import { drill } from './drill.ts';
import { exportRecord } from './export.ts';
import { importRecord } from './import.ts';
import { verifyRecord } from './verify.ts';
import { withdrawImports } from './withdraw.ts';

const help = `Usage: npm run -s gates -- record COMMAND [options]

What flowed through the gates, minute by minute, and the log of each event (docs/record.md).

  record export    minutes or log as CSV
  record import    add the minutes of an earlier match
  record withdraw  take imports back
  record verify    hold the log against the hashes in it
  record drill     lay invented incidents over a recorded match, for practice

Each command: --help.
Works in RECORD_DATABASE_URL; if it is not set, in the embedded database while it runs (npm start, npm run demo).
`;

export const RECORD_COMMANDS = commandGroup('record', help, {
  export: exportRecord,
  import: importRecord,
  withdraw: withdrawImports,
  verify: verifyRecord,
  drill,
});
