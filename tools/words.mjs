/**
 * `npm run check -- words`: counts words and forms of comments that docs/glossary.md replaces. `node tools/words.mjs FOLDER …`
 * lists each place.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.mjs';

const SOURCES = ['domain', 'board', 'desk', 'fleet', 'page', 'database', 'gates', 'server', 'tools'];

/** Each kind: what finds it in a line, and how many lines of it are too many. */
const KINDS = [
  { name: 'private words', pattern: /\b(?:told|tells|heard|said|says|whoever)\b/i, limit: 150 },
  {
    name: 'doc comments without a subject',
    pattern: /\/\*\* (?:Of|From|By|As|With|Without|Until|Whose|Which|To|At|On|Begins|Ends) /,
    limit: 40,
  },
];

/** @param {string} folder */
function linesOf(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:tsx?|mjs)$/.test(name) && !/\.test\.tsx?$/.test(name) && name !== 'words.mjs')
    .toSorted()
    .flatMap((name) =>
      readFileSync(join(ROOT, folder, name), 'utf8')
        .split('\n')
        .map((text, index) => ({ text, place: `${folder}/${name}:${index + 1}` })),
    );
}

const named = process.argv.slice(2);
const lines = (named.length > 0 ? named : SOURCES).flatMap(linesOf);
for (const { name, pattern, limit } of KINDS) {
  const found = lines.filter(({ text }) => pattern.test(text));
  if (named.length > 0)
    for (const { place, text } of found) process.stdout.write(`${place}: ${text.trim()}\n`);
  process.stdout.write(`${found.length} ${name}${named.length > 0 ? '' : ` (fewer than ${limit})`}\n`);
  if (named.length === 0 && found.length >= limit) process.exitCode = 1;
}
