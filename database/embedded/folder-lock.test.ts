import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockFolder } from './folder-lock.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'triagem-lock-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('a second process is refused with the process and port that hold the folder', async () => {
  const lock = await lockFolder(folder);
  await lock.setPort(5_000);
  await expect(lockFolder(folder)).rejects.toThrow(
    `in use by process ${process.pid}, its PostgreSQL on port 5000`,
  );
});

test('of many concurrent processes, one gets the lock', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(folder)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('of many processes that find a stale lock, one gets it', async () => {
  writeFileSync(join(folder, 'lock.json'), JSON.stringify({ pid: 999_999_999, identity: 'gone' }));
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(folder)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a lock whose process ID belongs to another process by now is stale', async () => {
  writeFileSync(
    join(folder, 'lock.json'),
    JSON.stringify({ pid: process.pid, identity: 'an earlier process' }),
  );
  await expect(lockFolder(folder)).resolves.toBeDefined();
});

test.each(['', '{', '[]', '{"pid":"x"}'])('a damaged lock (%j) is stale', async (text) => {
  writeFileSync(join(folder, 'lock.json'), text);
  await expect(lockFolder(folder)).resolves.toBeDefined();
});

test('a released lock leaves no file', async () => {
  const lock = await lockFolder(folder);
  await lock.release();
  expect(readdirSync(folder)).toEqual([]);
});
