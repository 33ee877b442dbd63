import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../testing/project-root.ts';

/** The rooms, and which others each may import. A file is in the room with the longest name that its path begins with. */
const ROOMS: Readonly<Record<string, string>> = {
  domain: '',

  page: 'domain page/design',
  'page/design': 'domain',

  'board/sources': 'domain',
  'board/sources/source-settings.ts': 'board/sources/postgres board/sources/firestore',
  'board/sources/open-source.ts':
    'domain database/primary board/sources board/sources/source-settings.ts board/sources/postgres board/sources/firestore',
  'board/sources/postgres':
    'domain database database/primary board/sources board/sources/postgres/contract.ts',
  'board/sources/postgres/contract.ts': '',
  'board/sources/firestore': 'domain database board/sources',
  'board/counting': 'domain board/sources',
  'board/fan-out': 'domain',
  'board/http': 'domain board/fan-out board/http/shown-venue.ts',
  'board/http/shown-venue.ts': 'domain board/http',
  'board/http/trusted-proxies.ts': '',
  'board/metrics': 'domain',
  'board/venue': 'domain',
  'board/page': 'domain page page/design',

  'desk/model': 'domain',
  'desk/flow':
    'domain database database/primary board/sources board/metrics desk/model desk/record desk/webhook',
  'desk/record': 'domain database database/primary desk/model desk/flow',
  'desk/webhook': 'domain database desk/model desk/flow desk/record',
  'desk/http': 'domain board/fan-out board/http desk/model desk/flow desk/record',
  'desk/page': 'domain page page/design desk/model',
  'desk/print': 'domain page page/design desk/model desk/page',
  'desk/tool': 'domain desk/model gates',

  'fleet/relay': 'domain board/counting board/metrics',
  'fleet/desk': 'domain desk/model desk/flow desk/record fleet/relay',
  'fleet/events': 'domain board/venue',

  database: 'domain database/primary',
  'database/primary': 'domain database',
  'database/schema': 'domain database database/primary board/sources/postgres/contract.ts',
  'database/embedded': 'domain database database/primary database/schema',

  gates: 'domain database database/primary board/http/shown-venue.ts board/http/trusted-proxies.ts',
  'gates/commands.ts': 'gates desk/tool',
  'gates/main.ts': 'gates gates/commands.ts',
};

const PAGES = 'page board/page desk/page desk/print';
const KIT = 'testing tests bench tools';

/** What puts the rooms together, and what surrounds the product: they may import all but these. */
const REFUSED: Readonly<Record<string, string>> = {
  server: `desk fleet gates ${PAGES} ${KIT}`,
  'server/parts.ts': `gates ${PAGES} ${KIT}`,
  'server/desk': `fleet gates ${PAGES} ${KIT}`,
  'server/fleet': `gates ${PAGES} ${KIT}`,
  testing: 'tests bench',
  tests: 'bench',
  bench: 'tests',
  tools: 'tests bench',
  'tools/demo': 'testing tests bench',
};
/** A test may import the kit, and whatever it tests with. */
const REFUSED_IN_TESTS = ['tests', 'bench'];

/** Packages that belong to one room; a page has none of Node's modules, and domain has no package but one. */
const PACKAGES: readonly (readonly [name: RegExp, rooms: RegExp])[] = [
  [/^@nats-io\//, /^fleet\/relay\/|^testing\/|^tests\/|^bench\//],
  [/^node:/, /^(?!domain\/|page\/|board\/page\/|desk\/(model|page|print)\/)/],
  [
    /^(react|react-dom|d3-.*|qr|web-vitals)(\/|$)/,
    /^page\/|^board\/page\/|^desk\/(page|print)\/|^testing\/|^tests\//,
  ],
  [/^[^.]/, /^(?!domain\/(?!json-file\.ts$)|desk\/model\/)/],
];

const FOLDERS = `domain page board desk fleet database gates server ${KIT}`.split(' ');

test('a room imports what the table says, and nothing else', () => {
  expect(
    FOLDERS.flatMap(filesIn)
      .flatMap((file) => importsOf(file).map((target) => [file, target] as const))
      .flatMap(faultsOf),
  ).toEqual([]);
});

test.each([
  ['domain/tally.ts', 'server/config.ts'],
  ['domain/tally.ts', 'postgres'],
  ['page/store.ts', 'board/page/main.ts'],
  ['page/design/number-format.ts', 'page/store.ts'],
  ['board/page/main.ts', 'desk/page/main.ts'],
  ['board/page/main.ts', 'node:fs'],
  ['board/http/app.ts', 'board/counting/event-projection.ts'],
  ['board/counting/event-projection.ts', 'board/sources/postgres/pgoutput.ts'],
  ['board/sources/firestore/probes.ts', 'board/sources/postgres/limits.ts'],
  ['board/sources/postgres/pgoutput.ts', 'board/sources/open-source.ts'],
  ['board/fan-out/chunk.ts', 'desk/flow/desk.ts'],
  ['database/primary/host-probe.ts', 'database/schema/migrate.ts'],
  ['desk/model/series/minute.ts', 'desk/flow/desk.ts'],
  ['desk/http/desk-stream.ts', '@nats-io/transport-node'],
  ['fleet/relay/wire.ts', 'board/http/app.ts'],
  ['gates/import/import.ts', 'desk/tool/record-commands.ts'],
  ['server/main.ts', 'testing/until.ts'],
  ['server/roles/all-in-one.ts', 'desk/flow/desk.ts'],
  ['server/desk/open-desk.ts', 'fleet/relay/wire.ts'],
  ['tests/http.test.ts', 'bench/main.ts'],
  ['tools/demo/options.ts', 'testing/until.ts'],
])('%s may not import %s', (file, target) => {
  expect(faultsOf([file, target])).toHaveLength(1);
});

function faultsOf([file, target]: readonly [string, string]): string[] {
  return mayImport(file, target) ? [] : [`${file} imports ${target}`];
}

function mayImport(file: string, target: string): boolean {
  const isTest = /\.test\.tsx?$/.test(file);
  if (!FOLDERS.some((folder) => target.startsWith(`${folder}/`))) {
    return isTest || PACKAGES.every(([name, rooms]) => !name.test(target) || rooms.test(file));
  }
  const inside = (names: readonly string[]) => roomOf(target, names) !== undefined;
  if (isTest) return !inside(REFUSED_IN_TESTS.filter((name) => !file.startsWith(`${name}/`)));
  const refusing = roomOf(file, Object.keys(REFUSED));
  if (refusing !== undefined) return !inside(REFUSED[refusing]?.split(' ') ?? []);
  const room = roomOf(file, Object.keys(ROOMS));
  const targetRoom = roomOf(target, Object.keys(ROOMS));
  if (room === undefined || targetRoom === undefined) return false;
  return room === targetRoom || ROOMS[room]?.split(' ').includes(targetRoom) === true;
}

/** The longest of these names that the path begins with. */
function roomOf(path: string, names: readonly string[]): string | undefined {
  return names
    .filter((name) => path === name || path.startsWith(`${name}/`))
    .toSorted((a, b) => b.length - a.length)[0];
}

/** The paths of modules of ours, and the names of others. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(PROJECT_ROOT, file), 'utf8');
  return [...text.matchAll(/(?:^|[\s;}])(?:import|from|import\()\s*\(?'([^'\n]+)'/g)].map(([, name = '']) =>
    name.startsWith('.') ? normalize(join(file, '..', name)) : name,
  );
}

function filesIn(folder: string): string[] {
  return readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`);
}
