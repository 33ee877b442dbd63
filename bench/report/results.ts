import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { isMet, type Result } from './figure.ts';
import { type Machine, machineLines } from './machine.ts';
import { overviewOf, tableOf } from './table.ts';

const RESULTS = join(PROJECT_ROOT, 'bench/results');
const OVERVIEW = join(PROJECT_ROOT, 'docs/performance.md');
const OVERVIEW_TABLE = /(<!-- Written by npm run bench. -->\n\n)[^]*?(\n\n<!-- End. -->)/;

/** Replaces the benchmark's former result: for people (NAME.md) and for programs (NAME.json). */
export function writeResult({ name, what, figures }: Result, machine: Machine): void {
  mkdirSync(RESULTS, { recursive: true });
  const about = machineLines(machine).map((line) => `- ${line}`);
  const lines = [`# ${name}`, '', what, '', ...about, '', tableOf(figures), ''];
  writeFileSync(join(RESULTS, `${name}.md`), lines.join('\n'));
  const json = { name, what, machine, figures: figures.map((one) => ({ ...one, met: isMet(one) })) };
  writeFileSync(join(RESULTS, `${name}.json`), `${JSON.stringify(json, undefined, 2)}\n`);
}

/** Writes the newest results of these benchmarks, as far as there are any, into docs/performance.md. */
export function writeOverview(names: readonly string[]): void {
  const results = names
    .map((name) => join(RESULTS, `${name}.json`))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as Result);
  const text = readFileSync(OVERVIEW, 'utf8');
  if (!OVERVIEW_TABLE.test(text)) throw new Error('docs/performance.md has no place for the figures');
  const written = text.replace(OVERVIEW_TABLE, (_, begin, end) => `${begin}${overviewOf(results)}${end}`);
  writeFileSync(OVERVIEW, written);
}
