import { expect, test } from 'vitest';
import { accessFile, settingsFile } from './cluster-files.ts';

const binaries = { major: 18, version: 'postgres (PostgreSQL) 18.4', program: (name: string) => name };

test('physical replication is refused before any other rule', () => {
  const first = accessFile()
    .split('\n')
    .find((line) => line !== '' && !line.startsWith('#'));
  expect(first).toBe('host replication all 0.0.0.0/0 reject');
});

test('a setting with a quote stays one setting', () => {
  const text = settingsFile(5_432, binaries, { log_line_prefix: "it's" });
  expect(text).toMatch("log_line_prefix = 'it''s'\n");
});

test('an extra setting replaces ours', () => {
  const lines = settingsFile(5_432, binaries, { fsync: 'off' }).match(/^fsync.*$/gm);
  expect(lines).toEqual(["fsync = 'off'"]);
});
