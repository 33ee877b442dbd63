import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../../testing/folder.ts';
import { until } from '../../testing/until.ts';
import { ProvedTimelines } from './proved-timelines.ts';

const ONE = { systemId: '7', timeline: '00000001' };
const TWO = { systemId: '7', timeline: '00000002' };
const RETURNED = { systemId: '7', timeline: 'R0000000100000001' };

function open(path: string) {
  const logged: string[] = [];
  const log = pino(
    {},
    { write: (line: string) => void logged.push((JSON.parse(line) as { msg: string }).msg) },
  );
  return { proved: new ProvedTimelines(path, log), logged };
}

test('what a counter has proved is known after a restart, and what another edge has noted beside it', () => {
  const path = join(makeTestFolder(), 'new', 'timelines-main.json');
  const { proved, logged } = open(path);
  const { proved: other } = open(path);
  expect([proved.note(ONE), proved.note(TWO), proved.note(ONE)]).toEqual([true, true, false]);
  other.note({ systemId: '8', timeline: '00000005' });
  const { proved: anew } = open(path);
  expect([anew.isFormer(ONE), anew.isFormer(TWO), anew.isFormer({ ...ONE, systemId: '9' })]).toEqual([
    true,
    false,
    false,
  ]);
  expect(anew.isFormer({ systemId: '8', timeline: '00000004' })).toBe(true);
  anew.note(RETURNED);
  expect(open(path).proved.isFormer(TWO)).toBe(true);
  expect(logged).toEqual([]);
});

test('a file that cannot be read or written is reported, and the edge goes on', () => {
  const folder = makeTestFolder();
  const path = join(folder, 'timelines-main.json');
  writeFileSync(path, 'half a fi');
  const { proved, logged } = open(path);
  expect(logged).toEqual(['the timelines that were kept cannot be read']);
  proved.note(TWO);
  expect(proved.isFormer(ONE)).toBe(true);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ 7: '00000002' });
});

test('a folder that takes no file is reported, and tried again', async () => {
  const folder = join(makeTestFolder(), 'taken');
  writeFileSync(folder, '');
  const { proved, logged } = open(join(folder, 'timelines-main.json'));
  proved.note(TWO);
  expect(proved.isFormer(ONE)).toBe(true);
  expect(logged.at(-1)).toMatch('Let STATE_DIR name a folder');
  expect(proved.warning).toBe(logged.at(-1));
  rmSync(folder);
  await until(() => expect(proved.warning).toBeUndefined());
  expect(open(join(folder, 'timelines-main.json')).proved.isFormer(ONE)).toBe(true);
});
