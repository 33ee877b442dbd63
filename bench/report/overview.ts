import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure } from '../benchmark.ts';
import { PROJECT_ROOT } from '../support/project-root.ts';
import { FOLDER } from './results.ts';
import { overviewOf } from './table.ts';

const PAGE = join(PROJECT_ROOT, 'docs/performance.md');
const PLACE = /(<!-- Written by npm run bench. -->\n\n)[^]*?(\n\n<!-- End. -->)/;

/** Writes the newest results of these benchmarks, as far as there are any, into docs/performance.md. */
export function writeOverview(names: readonly string[]): void {
  const results = names
    .map((name) => join(FOLDER, `${name}.json`))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as { name: string; figures: Figure[] });
  const text = readFileSync(PAGE, 'utf8');
  if (!PLACE.test(text)) throw new Error('docs/performance.md has no place for the figures');
  writeFileSync(
    PAGE,
    text.replace(PLACE, (_, begin, end) => `${begin}${overviewOf(results)}${end}`),
  );
}
