import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file, or a part of the page itself, and its size compressed by gzip. */
export interface Weighed {
  readonly name: string;
  readonly bytes: number;
}

/** What a page of the build in this folder loads before it runs. */
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
