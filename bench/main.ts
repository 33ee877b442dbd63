import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inspect } from 'node:util';
import { CommandLineEnd, readCommandLine, wrongUsage } from '../server/command-line.ts';
import type { Benchmark } from './benchmark.ts';
import { BENCHMARKS } from './benchmarks.ts';
import { builds, BUILT_SERVER } from './builds.ts';
import { isMet, type Result } from './report/figure.ts';
import { describeMachine, machineLines } from './report/machine.ts';
import { writeOverview, writeResult } from './report/results.ts';
import { tableOf } from './report/table.ts';

/** The process of `npm run bench`: each benchmark on real parts of its own, one after the other, and their tables. */

const NAMES: readonly string[] = BENCHMARKS.map(({ name }) => name);

const HELP = `Usage: npm run bench [-- NAME ...] [--former FOLDER] [--quick]

Measures the board on this machine, with PostgreSQL, Chromium and servers of its own. Results go to bench/results; those
of --quick do not. docs/performance.md shows what has something to reach. Exit code 1 if a benchmark broke; a target that
is missed is said in the table. Ctrl-C ends it early.

${BENCHMARKS.map(({ name, what }) => `  ${name.padEnd(13)} ${what}`).join('\n')}

  --former FOLDER
                 this build beside that of another checkout, as of a former commit (CONTRIBUTING.md): its server
                 (builds) and its page (pages); builds-itself has that server twice: by as much do equals differ
  --quick        a tenth of the work or less, to try the benchmark itself
`;

/** A stop that hangs is cut off: whoever presses Ctrl-C waits no longer than this. */
const STOP_LIMIT_MS = 4_900;
const STOPPED_EXIT_CODE = 130;

const PROGRAM = 'npm run bench';

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof CommandLineEnd) return error.say();
  throw error;
});

async function main(args: readonly string[]): Promise<number> {
  const { benchmarks, quick } = await readOptions(args);
  const stopped = new AbortController();
  // Everything that runs listens to it: more than a few are no leak.
  setMaxListeners(0, stopped.signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopped.signal.aborted) return;
      say('Stopping...');
      setTimeout(() => process.exit(STOPPED_EXIT_CODE), STOP_LIMIT_MS).unref();
      stopped.abort();
    });
  }
  const machine = await describeMachine();
  say(machineLines(machine).join('\n'));
  const results: Result[] = [];
  const broken: string[] = [];
  for (const benchmark of benchmarks) {
    if (stopped.signal.aborted) break;
    const { name, what, run } = benchmark;
    const progress = (line: string): void => say(`${new Date().toLocaleTimeString('sv')}  ${name}: ${line}`);
    progress(what);
    try {
      const result = { name, what, figures: await run({ quick, signal: stopped.signal, progress }) };
      results.push(result);
      if (!quick) writeResult(result, machine);
    } catch (error) {
      if (stopped.signal.aborted) break;
      broken.push(name);
      say(`${name} broke: ${inspect(error)}`);
    }
  }
  if (!quick && results.length > 0) writeOverview(NAMES);
  const report = reportOf(results, broken, quick);
  if (report !== '') process.stdout.write(`\n${machineLines(machine).join('\n')}\n\n${report}\n`);
  if (broken.length > 0) return 1;
  return stopped.signal.aborted ? STOPPED_EXIT_CODE : 0;
}

function reportOf(results: readonly Result[], broken: readonly string[], quick: boolean): string {
  const tables = results.map(({ name, what, figures }) => `${name}: ${what}\n\n${tableOf(figures)}\n`);
  const missed = results.flatMap(({ name, figures }) =>
    figures.filter((figure) => isMet(figure) === false).map(({ what }) => `NOT met: ${name}: ${what}`),
  );
  const gone = broken.map((name) => `broke, and measured nothing: ${name}`);
  const lines = [...tables, ...missed, ...gone];
  if (quick && results.length > 0)
    lines.push('--quick: these figures try the benchmarks, and are not written.');
  return lines.join('\n');
}

async function readOptions(
  args: readonly string[],
): Promise<{ benchmarks: readonly Benchmark[]; quick: boolean }> {
  const { values, positionals } = readCommandLine(args, {
    program: PROGRAM,
    help: HELP,
    options: { quick: { type: 'boolean', default: false }, former: { type: 'string' } },
    takesNames: true,
  });
  const all = values.former === undefined ? BENCHMARKS : await builds(builtFolder(values.former));
  const names = all.map(({ name }) => name);
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw wrongUsage(`There is no benchmark "${unknown}". There are: ${names.join(', ')}.`, PROGRAM);
  const wanted = positionals.length > 0 ? positionals : names;
  return { benchmarks: all.filter(({ name }) => wanted.includes(name)), quick: values.quick };
}

function builtFolder(named: string): string {
  const folder = resolve(named);
  if (existsSync(join(folder, BUILT_SERVER))) return folder;
  throw wrongUsage(`--former: ${folder} has no ${BUILT_SERVER}. Run npm ci && npm run build there.`, PROGRAM);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
