import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBuildId } from './served-pages.ts';

/** The code runs from the sources and from build/. */
const MANIFESTS = ['../package.json', '../../package.json'].map((path) => join(import.meta.dirname, path));

/**
 * The product's version as the log, the paper and reports have it: "1.0.0+c0ffee123456", of its package and of its build,
 * whatever the venue. `webRoot`: the folder of the built pages.
 */
export function productVersion(webRoot: string): string {
  const manifest = MANIFESTS.find((path) => existsSync(path));
  if (manifest === undefined) throw new Error('no package.json above the program');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
  return `${version}+${readBuildId(webRoot)}`;
}
