/**
 * `npm run check -- board-alone`: the board is whole without desk and fleet. In a copy of the project both are deleted, with
 * the composition that names them and with what tests them; what is left is typed, built and tested. Says how large the
 * board alone is.
 */
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, normalize } from 'node:path';
import { ROOT } from './root.mjs';
import { runChild } from './run-child.mjs';

const COPY = join(ROOT, 'build/board-alone');
const PRODUCT = ['domain', 'board', 'page', 'database', 'gates', 'server'];
/** What the deleted rooms are put together with: all else imports neither (tools/rooms.test.ts), and is as it was. */
const TESTED = ['board/http/', 'server/'];
/** What serves tests and tools: a file of these that imports what is deleted is deleted, too. */
const AROUND = ['testing', 'tests', 'tools'];
const DELETED = [
  'desk',
  'fleet',
  'server/desk',
  'server/fleet',
  'tests/relay',
  'tests/flow',
  'tests/soak',
  'tests/browser',
];
/** At least this many test files must be left: otherwise the board's own could be deleted with the others unnoticed. */
const MIN_TEST_FILES = 150;

/** What names desk and fleet: the file, and what becomes of it. */
const COMPOSITION = {
  'server/parts.ts': () => `import type { AddedRoom } from './added-room.ts';
import type { Triagem } from './roles/triagem.ts';

export type FlowClock = never;
export type WebhookTarget = never;
export interface FleetConfig { readonly role: 'counter' | 'edge' }
export const readWebhookSettings = (_settings: unknown, _faults: string[]): undefined => undefined;
export const faultOfOwnAddress = (_target: never, _listeners: unknown): undefined => undefined;
export const readFleetConfig = (_role: string, _env: unknown): undefined => undefined;
export const openDesk = async (_options: unknown): Promise<AddedRoom | undefined> => undefined;
export const startFleet = (..._: unknown[]): Promise<Triagem> => Promise.reject(new Error('There is no fleet.'));
`,
  'gates/commands.ts': (text) => withoutLines(text, 'RECORD_COMMANDS'),
  'page/pages.json': (text) =>
    JSON.stringify(JSON.parse(text).filter(({ folder }) => folder.startsWith('board/'))),
  'rsbuild.config.ts': (text) => withoutLines(text, 'guidePage'),
};

async function proveBoardAlone() {
  rmSync(COPY, { recursive: true, force: true });
  mkdirSync(COPY, { recursive: true });
  for (const name of readdirSync(ROOT)) {
    const isCopied =
      [...PRODUCT, ...AROUND, 'docs', 'deploy', 'venues'].includes(name) ||
      /^[^.].*\.[a-z]+$|^Containerfile$|^LICENSE$/.test(name);
    if (isCopied) cpSync(join(ROOT, name), join(COPY, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(COPY, 'node_modules'));
  for (const path of DELETED) rmSync(join(COPY, path), { recursive: true, force: true });
  for (const [path, change] of Object.entries(COMPOSITION)) {
    writeFileSync(join(COPY, path), change(readFileSync(join(COPY, path), 'utf8')));
  }
  deleteWhatTestsThem();
  for (const config of ['tsconfig.json', 'page/tsconfig.json', 'tests/tsconfig.json']) {
    await run('node_modules/typescript/bin/tsc', '-p', config);
  }
  await run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
  await run('node_modules/@rsbuild/core/bin/rsbuild.js', 'build', '--log-level', 'warn');
  await run('node_modules/vitest/vitest.mjs', 'run', '--project=unit', '--reporter=dot', ...TESTED);
  const lines = PRODUCT.flatMap(filesIn).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file),
  );
  process.stdout.write(
    `The board alone has ${countLines(lines)} lines of TypeScript in ${lines.length} files.\n`,
  );
}

/** Deletes tests, and what serves them, as long as one imports a file that is not there. */
function deleteWhatTestsThem() {
  const isAround = (file) =>
    AROUND.some((folder) => file.startsWith(`${folder}/`)) || /\.test\.tsx?$/.test(file);
  let files = [...PRODUCT, ...AROUND].flatMap(filesIn).filter((file) => /\.(?:tsx?|mjs)$/.test(file));
  for (;;) {
    const there = new Set(files);
    const broken = files.filter(
      (file) => isAround(file) && importsOf(file).some((path) => !there.has(path) && isCode(path)),
    );
    if (broken.length === 0) break;
    for (const file of broken) rmSync(join(COPY, file));
    files = files.filter((file) => !broken.includes(file));
  }
  const tests = files.filter((file) => /\.test\.tsx?$/.test(file));
  if (tests.length < MIN_TEST_FILES)
    throw new Error(`Only ${tests.length} files of tests are left of the board's.`);
}

const isCode = (path) => /\.(?:tsx?|mjs)$/.test(path);
const withoutLines = (text, word) =>
  text
    .split('\n')
    .filter((line) => !line.includes(word))
    .join('\n');
const countLines = (files) =>
  files.reduce((sum, file) => sum + readFileSync(join(COPY, file), 'utf8').split('\n').length - 1, 0);

function importsOf(file) {
  const text = readFileSync(join(COPY, file), 'utf8');
  return [...text.matchAll(/(?:from|import\(?)\s*'(\.[^'\n]+)'/g)].map(([, path]) =>
    normalize(join(file, '..', path)),
  );
}

function filesIn(folder) {
  return readdirSync(join(COPY, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((path) => statSync(join(COPY, path)).isFile());
}

async function run(script, ...args) {
  const status = await runChild(process.execPath, [script, ...args], {
    cwd: COPY,
    stdio: 'inherit',
    env: { ...process.env, TRIAGEM_TEST_SCOPE: 'quick' },
  });
  if (status !== 0)
    throw new Error(`The board is not whole without desk and fleet: ${script} failed in ${COPY}.`);
}

try {
  await proveBoardAlone();
  rmSync(COPY, { recursive: true, force: true });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error?.exitCode ?? 1;
}
