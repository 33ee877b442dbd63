import { join } from 'node:path';
import { readArguments, type Command } from './command.ts';
import { reportBoards } from '../events/event.ts';
import { findTarget } from './target.ts';

export const url: Command = {
  help: `Usage: npm run -s gates -- url

Prints the connection string with which a gate system writes tickets, password included, alone on standard output.
Standard error has how psql connects without a password on its command line, and which event the board shows.
`,
  async run(args, env) {
    readArguments(args, {});
    const target = await findTarget(env);
    reportBoards(target);
    process.stdout.write(`${target.address}\n`);
    const bare = new URL(target.url);
    bare.password = '';
    const passwordFile = target.folder === undefined ? 'FILE' : quote(join(target.folder, 'gates.pgpass'));
    process.stderr.write(
      `psql, without a password that ps would show:\n  PGPASSFILE=${passwordFile} psql ${quote(bare.href)}\n`,
    );
    if (target.folder === undefined) {
      process.stderr.write('FILE (mode 600) holds one line: HOST:PORT:DATABASE:USER:PASSWORD\n');
    }
    return 0;
  },
};

function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
