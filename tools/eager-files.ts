import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file, or an inline script, with its size in bytes of gzip. */
export interface Weighed {
  readonly name: string;
  readonly bytes: number;
}

/** Lists the scripts and styles that a page of the build loads before it runs. */
export function eagerFiles(folder: string, page: string) {
  const html = readFileSync(join(folder, page), 'utf8');
  const find = (pattern: RegExp): string[] => [...html.matchAll(pattern)].map(([, found = '']) => found);
  const weigh = (name: string, content: string | Buffer): Weighed => ({
    name,
    bytes: gzipSync(content).length,
  });
  const weighFiles = (paths: readonly string[]): Weighed[] =>
    paths.map((path) => weigh(path, readFileSync(join(folder, path))));
  const inline = find(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs);
  const named = find(/<script[^>]*\ssrc="([^"]+)"/g);
  if (named.length === 0) throw new Error(`${page} names no script: the measure would be of nothing`);
  return {
    scripts: [...inline.map((text) => weigh(`in ${page}`, text)), ...weighFiles(named)],
    styles: weighFiles(find(/<link[^>]*\shref="([^"]+\.css)"/g)),
  };
}

export function sizeOf(files: readonly Weighed[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
