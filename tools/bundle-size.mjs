// Prints the gzip size of what each page loads before it runs, and fails where its JavaScript is above its limit.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const PAGES = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../web/pages.json'), 'utf8'));
const folder = path.resolve(import.meta.dirname, '../build/web');

for (const { file, limitKb } of PAGES) {
  const name = `${file}.html`;
  const html = readFileSync(path.join(folder, name), 'utf8');
  const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(([, text = '']) => ({
    url: `in ${name}`,
    bytes: gzipSync(text).length,
  }));
  const scripts = [...inline, ...measure(html, /<script[^>]*\ssrc="([^"]+)"/g)];
  if (scripts.length === inline.length)
    throw new Error(`${name} names no script: the measure would be of nothing`);

  print('JavaScript', scripts);
  print('CSS', measure(html, /<link[^>]*\shref="([^"]+\.css)"/g));
  if (sum(scripts) > limitKb * 1000) {
    console.error(`Eager JavaScript of ${name} is above ${limitKb} kB gzip.`);
    process.exitCode = 1;
  }
}

/** @param {string} html @param {RegExp} pattern finds the addresses of files in the page */
function measure(html, pattern) {
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
