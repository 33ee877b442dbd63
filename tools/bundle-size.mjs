// Prints the gzip size of what the page loads before it runs, and fails where its JavaScript is above the limit.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const LIMIT_KB = 82;
const folder = path.resolve(import.meta.dirname, '../build/web');
const html = readFileSync(path.join(folder, 'index.html'), 'utf8');

const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(([, text = '']) => ({
  url: 'in index.html',
  bytes: gzipSync(text).length,
}));
const scripts = [...inline, ...measure(/<script[^>]*\ssrc="([^"]+)"/g)];
const styles = measure(/<link[^>]*\shref="([^"]+\.css)"/g);
if (scripts.length === 0)
  throw new Error('build/web/index.html names no script: the measure would be of nothing');

print('JavaScript', scripts);
print('CSS', styles);
if (sum(scripts) > LIMIT_KB * 1000) {
  console.error(`Eager JavaScript is above ${LIMIT_KB} kB gzip.`);
  process.exitCode = 1;
}

/** @param {RegExp} pattern finds the addresses of files in the page */
function measure(pattern) {
  return [...html.matchAll(pattern)].map(([, url = '']) => ({
    url,
    bytes: gzipSync(readFileSync(path.join(folder, url))).length,
  }));
}

/** @param {{ bytes: number }[]} files */
function sum(files) {
  return files.reduce((total, { bytes }) => total + bytes, 0);
}

/** @param {string} kind @param {{ url: string, bytes: number }[]} files */
function print(kind, files) {
  for (const { url, bytes } of files) console.log(`${kilobytes(bytes)}  ${url}`);
  console.log(`${kilobytes(sum(files))}  eager ${kind}, gzip`);
}

/** @param {number} bytes 1 kB = 1000 bytes */
function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1).padStart(6)} kB`;
}
