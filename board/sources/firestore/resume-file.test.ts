import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../../../testing/folder.ts';
import { ResumeFile } from './resume-file.ts';

const COLLECTION = 'projects/p/databases/(default)/documents/events/e/tickets';
const MINUTE_MS = 60_000;
const COPY = {
  readTimeUs: 1_777_834_800_123_456,
  resumeToken: Buffer.from([0, 255, 10]),
  ids: Array.from({ length: 5_000 }, (_, n) => `b${n}\n"é`),
  packed: Array.from({ length: 5_000 }, (_, n) => n % 16),
  codes: ['4', 'x\ny'],
};

function open() {
  const folder = join(makeTestFolder(), 'data');
  return { path: join(folder, 'firestore-resume'), folder, file: new ResumeFile(folder, COLLECTION) };
}

test('what was written last is read again; it is for this account alone, and nothing else is left', async () => {
  const { file, folder, path } = open();
  expect(await file.read(MINUTE_MS)).toBeUndefined();
  await Promise.all([file.write({ ...COPY, ids: [], packed: [] }), file.write(COPY)]);
  expect(await file.read(MINUTE_MS)).toEqual(COPY);
  expect([readdirSync(folder), statSync(path).mode & 0o777]).toEqual([['firestore-resume'], 0o600]);
});

test('one of another collection, or an old one, is not used', async () => {
  const { file, folder } = open();
  await file.write(COPY);
  expect(await new ResumeFile(folder, `${COLLECTION}2`).read(MINUTE_MS)).toBeUndefined();
  expect(await file.read(-1)).toBeUndefined();
});

test('one that is damaged anywhere is refused', async () => {
  const { file, path } = open();
  await file.write(COPY);
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at += 1_999) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    writeFileSync(path, damaged);
    await expect(file.read(MINUTE_MS)).rejects.toThrow('does not match its hash');
    writeFileSync(path, whole.subarray(0, at));
    await expect(file.read(MINUTE_MS)).rejects.toThrow('does not match its hash');
  }
});
