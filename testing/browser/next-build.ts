import { cpSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeTestFolder } from '../folder.ts';
import { PROJECT_ROOT } from '../project-root.ts';

/** Makes another build of the screen, in which each script has another name. Returns its folder. */
export function makeNextBuild(): { readonly webRoot: string } {
  const webRoot = makeTestFolder();
  cpSync(join(PROJECT_ROOT, 'build/web'), webRoot, { recursive: true });
  const files = readdirSync(webRoot, { recursive: true, encoding: 'utf8' })
    .map((name) => join(webRoot, name))
    .filter((file) => statSync(file).isFile());
  const hashes = files.flatMap((file) => basename(file).match(/(?<=\.)[0-9a-f]{10}(?=\.js$)/) ?? []);
  const renamed = (text: string): string =>
    hashes.reduce((now, hash) => now.replaceAll(hash, hash.split('').toReversed().join('')), text);
  for (const file of files) {
    if (/\.(br|gz)$/.test(file)) {
      rmSync(file);
      continue;
    }
    if (/\.(js|html)$/.test(file)) writeFileSync(file, renamed(readFileSync(file, 'utf8')));
    renameSync(file, renamed(file));
  }
  return { webRoot };
}
