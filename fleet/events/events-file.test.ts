import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { DOCUMENT_ID_FORM } from '../../domain/event.ts';
import type { NamedEvent } from './read-events-file.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { until } from '../../testing/until.ts';
import { EventsFile, readEventsFile } from './events-file.ts';

const [A, B] = ['a'.repeat(32), 'b'.repeat(32)];
const venueNamed = (name: string): string =>
  JSON.stringify({ name, sectors: [{ code: '4', name: 'Norte' }] });
const one = JSON.stringify({ 'a.test': { eventId: A, venueFile: 'venues/v.json' } });
const two = JSON.stringify({ 'a.test': { eventId: A }, 'b.test': { eventId: B } });

/** Follows a file of one event with a venue. */
function follow() {
  const folder = makeTestFolder({ 'events.json': one, 'venues/v.json': venueNamed('Arena') });
  const path = join(folder, 'events.json');
  const logged: { level: number; faults?: string[] }[] = [];
  const write = (line: string): void => void logged.push(JSON.parse(line) as (typeof logged)[0]);
  const changes: (readonly NamedEvent[])[] = [];
  const file = new EventsFile({
    path,
    log: pino({ base: null }, { write }),
    onChange: (events) => void changes.push(events),
    pollMs: 20,
  });
  onTestFinished(() => file.stop());
  return { folder, path, file, logged, changes };
}

const hostsOf = (events: readonly NamedEvent[] = []): string[] => events.flatMap(({ hosts }) => hosts);

test('the venues of an events file are relative to it', () => {
  const folder = makeTestFolder({ 'in/events.json': one, 'in/venues/v.json': venueNamed('Arena') });
  expect(readEventsFile(join(folder, 'in/events.json'))).toMatchObject([
    { eventId: A, venue: { name: 'Arena' } },
  ]);
});

test.each([
  ['written in place', (path: string) => writeFileSync(path, two)],
  [
    'renamed over',
    (path: string) => {
      writeFileSync(`${path}.new`, two);
      renameSync(`${path}.new`, path);
    },
  ],
  [
    'written in pieces',
    (path: string) => {
      writeFileSync(path, two.slice(0, 20));
      setTimeout(() => appendFileSync(path, two.slice(20)), 5);
    },
  ],
])('a file that is %s is read again, once', async (_how, replace) => {
  const { path, file, changes } = follow();
  replace(path);
  await until(() => expect(hostsOf(file.events)).toEqual(['a.test', 'b.test']));
  expect(changes.map(hostsOf)).toEqual([['a.test', 'b.test']]);
  expect(file.warning).toBeUndefined();
});

test('a replaced folder, as of a mounted volume, is noticed', async () => {
  const { folder } = follow();
  for (const [name, content] of [
    ['1', one],
    ['2', two],
  ] as const) {
    mkdirSync(join(folder, name, 'venues'), { recursive: true });
    writeFileSync(join(folder, name, 'events.json'), content);
    writeFileSync(join(folder, name, 'venues/v.json'), venueNamed('Arena'));
  }
  symlinkSync('1', join(folder, 'now'));
  const path = join(folder, 'now/events.json');
  const file = new EventsFile({ path, log: pino({ level: 'silent' }), onChange: () => {}, pollMs: 20 });
  onTestFinished(() => file.stop());
  symlinkSync('2', join(folder, 'next'));
  renameSync(join(folder, 'next'), join(folder, 'now'));
  await until(() => expect(hostsOf(file.events)).toEqual(['a.test', 'b.test']));
});

test('a corrected venue is read again', async () => {
  const { folder, file, changes } = follow();
  writeFileSync(join(folder, 'venues/v.json'), venueNamed('Arena Nova'));
  await until(() => expect(file.events[0]?.venue?.name).toBe('Arena Nova'));
  expect(changes).toHaveLength(1);
});

test('a file with faults changes nothing, is logged, and stands in the warning until it is corrected', async () => {
  const { folder, path, file, logged, changes } = follow();
  writeFileSync(path, '{\n "a.test": { "eventId": "x/y" },\n "b": 1\n}');
  await until(() => expect(file.warning).toBeDefined());
  expect(file.warning).toContain(
    `line 2: eventId of "a.test" is "x/y": give ${DOCUMENT_ID_FORM}, and 1 more`,
  );
  expect(logged.at(-1)).toMatchObject({
    level: 40,
    faults: [expect.anything(), expect.stringContaining('line 3')],
  });
  expect([hostsOf(file.events), changes]).toEqual([['a.test'], []]);

  rmSync(path);
  await until(() => expect(file.warning).toContain('there is no such file'));

  // The fault may be a venue's, and only the venue is corrected.
  rmSync(join(folder, 'venues/v.json'));
  writeFileSync(path, one);
  await until(() =>
    expect(file.warning).toContain('venueFile of "a.test" is "venues/v.json": there is no such file'),
  );
  writeFileSync(join(folder, 'venues/v.json'), venueNamed('Arena'));
  await until(() => expect(file.warning).toBeUndefined());
  expect(logged.at(-1)).toMatchObject({ level: 30 });
  expect(changes).toEqual([]);
  expect(logged.filter(({ level }) => level === 40)).toHaveLength(3);
});
