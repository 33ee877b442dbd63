import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBuildId } from './served-pages.ts';

/** The first is for the sources, the second for build/. */
const MANIFESTS = ['../package.json', '../../package.json'].map((path) => join(import.meta.dirname, path));

/**
 * Returns the product's version for logs and reports, "1.0.0+c0ffee123456": that of its package, then its build ID, which
 * does not depend on the venue. `webRoot` is the folder of the built pages.
 */
export function productVersion(webRoot: string): string {
  const manifest = MANIFESTS.find((path) => existsSync(path));
  if (manifest === undefined) throw new Error('no package.json above the program');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
  return `${version}+${readBuildId(webRoot)}`;
}
