import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark, Figure } from '../benchmark.ts';
import { PROJECT_ROOT } from '../support/project-root.ts';
import { type Machine, machineLines } from './machine.ts';
import { isMet, tableOf } from './table.ts';

export const FOLDER = join(PROJECT_ROOT, 'bench/results');

export interface Result {
  readonly benchmark: Pick<Benchmark, 'name' | 'what'>;
  readonly figures: readonly Figure[];
}

/** Puts the result in the place of the benchmark's former one: for people (NAME.md) and for programs (NAME.json). */
export function writeResult({ benchmark, figures }: Result, machine: Machine): void {
  const { name, what } = benchmark;
  mkdirSync(FOLDER, { recursive: true });
  const lines = [
    `# ${name}`,
    '',
    what,
    '',
    ...machineLines(machine).map((line) => `- ${line}`),
    '',
    tableOf(figures),
    '',
  ];
  writeFileSync(join(FOLDER, `${name}.md`), lines.join('\n'));
  const json = { name, what, machine, figures: figures.map((figure) => ({ ...figure, met: isMet(figure) })) };
  writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(json, undefined, 2)}\n`);
}
