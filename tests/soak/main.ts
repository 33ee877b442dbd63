import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandLineEnd, readCommandLine, wrongUsage } from '../../server/command-line.ts';
import { startEmbeddedDatabase } from '../../database/embedded/embedded-database.ts';
import { closeAll, collectOpened } from '../../testing/close-once.ts';
import { startFleet } from './fleet.ts';
import { Soak } from './soak.ts';
import { startServer } from './system.ts';

/** The process of `npm run soak`: a whole match with faults, on a database of its own, and a table at the end. */

const HELP = `Usage: npm run soak [-- --fleet] [--minutes N] [--viewers N]

Runs a match of 43,680 tickets on a database of its own, the server in a process of its own, with many screens, while
faults strike at random: processes killed, PostgreSQL restarted, links cut and stalled. After each fault every screen is
compared with a recount by SQL. The server is killed in the first quarter of the time only, and its memory measured after
the first third. Ends with a table; exit code 1 if any count was wrong. Ctrl-C ends it early, in order.

  --fleet      two counters, three NATS servers, and two edges behind nginx in place of one server; each of them is also
               stopped for a while
  --minutes N  how long (default: 30)
  --viewers N  how many screens (default: 500)
`;

const PROGRAM = 'npm run soak';

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof CommandLineEnd) return error.say();
  throw error;
});

async function main(args: readonly string[]): Promise<number> {
  const { fleet, minutes, viewers } = readOptions(args);
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.abort());
  const opened: Parameters<typeof closeAll>[0] = [];
  collectOpened((close) => opened.push(close));
  const dataDir = mkdtempSync(join(tmpdir(), 'triagem-soak-'));
  // As root, PostgreSQL runs as another account, which must get in.
  chmodSync(dataDir, 0o755);
  try {
    say('Starting...');
    const database = await startEmbeddedDatabase({ dataDir, port: 0, log: () => {} });
    try {
      const soak = await Soak.start({
        database,
        startSystem: fleet ? startFleet : startServer,
        viewers,
        durationMs: minutes * 60_000,
      });
      await soak.run(stopped.signal, progress);
      process.stdout.write(`\n${soak.table()}\n`);
      return soak.isRight ? 0 : 1;
    } finally {
      await closeAll(opened);
      await database.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function readOptions(args: readonly string[]): { fleet: boolean; minutes: number; viewers: number } {
  const { values } = readCommandLine(args, {
    program: PROGRAM,
    help: HELP,
    options: {
      fleet: { type: 'boolean', default: false },
      minutes: { type: 'string', default: '30' },
      viewers: { type: 'string', default: '500' },
    },
  });
  const minutes = Number(values.minutes);
  const viewers = Number(values.viewers);
  if (minutes > 0 && Number.isFinite(minutes) && Number.isSafeInteger(viewers) && viewers > 0) {
    return { fleet: values.fleet, minutes, viewers };
  }
  throw wrongUsage('--minutes and --viewers are numbers above 0.', PROGRAM);
}

function progress(line: string): void {
  say(`${new Date().toLocaleTimeString('sv')}  ${line}`);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
