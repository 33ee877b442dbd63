import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** The folder of the built screen. */
const BUILT = join(import.meta.dirname, '../build/web');

/**
 * Another build of the screen: not one of its scripts has the name that it has in the present one. Returns its folder
 * and how it is removed.
 */
export function makeNextBuild(): { webRoot: string; remove: () => void } {
  const webRoot = mkdtempSync(join(tmpdir(), 'triagem-next-build-'));
  cpSync(BUILT, webRoot, { recursive: true });
  const files = readdirSync(webRoot, { recursive: true, encoding: 'utf8' })
    .map((name) => join(webRoot, name))
    .filter((file) => statSync(file).isFile());
  for (const file of files.filter((name) => /\.(br|gz)$/.test(name))) rmSync(file);
  const hashes = files.flatMap((file) => basename(file).match(/(?<=\.)[0-9a-f]{10}(?=\.js$)/) ?? []);
  for (const file of files.filter((name) => !/\.(br|gz)$/.test(name))) {
    if (/\.(js|html)$/.test(file)) {
      const text = readFileSync(file, 'utf8');
      writeFileSync(
        file,
        hashes.reduce((renamed, hash) => renamed.replaceAll(hash, reversed(hash)), text),
      );
    }
    const hash = hashes.find((one) => file.includes(one));
    if (hash) renameSync(file, file.replace(hash, reversed(hash)));
  }
  return { webRoot, remove: () => rmSync(webRoot, { recursive: true }) };
}

function reversed(hash: string): string {
  return hash.split('').toReversed().join('');
}
