import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../testing/project-root.ts';
import { eagerFiles, sizeOf, type Weighed } from './eager-files.ts';

/** Prints the gzip size of the files that each page loads before it runs. Fails where its JavaScript exceeds its limit. */

const pages = JSON.parse(readFileSync(join(PROJECT_ROOT, 'page/pages.json'), 'utf8')) as {
  readonly file: string;
  readonly limitKb: number;
}[];

for (const { file, limitKb } of pages) {
  const { scripts, styles } = eagerFiles(join(PROJECT_ROOT, 'build/web'), `${file}.html`);
  print('JavaScript', scripts);
  print('CSS', styles);
  if (sizeOf(scripts) > limitKb * 1_000) {
    console.error(`Eager JavaScript of ${file}.html is above ${limitKb} kB gzip.`);
    process.exitCode = 1;
  }
}

function print(kind: string, files: readonly Weighed[]): void {
  const lines = [...files, { name: `eager ${kind}, gzip`, bytes: sizeOf(files) }];
  // 1 kB = 1000 bytes.
  for (const { name, bytes } of lines) console.log(`${(bytes / 1_000).toFixed(1).padStart(6)} kB  ${name}`);
}
