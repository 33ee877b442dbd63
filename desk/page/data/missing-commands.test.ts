import { expect, test } from 'vitest';
import { chain, occurrence } from '../../../testing/desk/log-rows.ts';
import { AnsweredCommands } from './missing-commands.ts';

const at = (second: number) => ({ monotonicMs: second * 1_000, wallMs: 1e12 + second * 1_000 });
const rows = (...ids: readonly string[]) =>
  chain(
    'e'.repeat(32),
    ids.map((id) => occurrence(id)),
  );
const given = (id: string) =>
  ({
    command: { id, by: 'Ana', kind: 'occurrence', sector: null, text: id },
    givenAt: `18:36:0${id.length}`,
  }) as const;

function open() {
  let changes = 0;
  const retried: string[] = [];
  const commands = new AnsweredCommands(() => (changes += 1));
  for (const id of ['a', 'bb']) commands.add(given(id), () => retried.push(id), at(0));
  return { commands, retried, changes: () => changes };
}

test('a recorded command in the log is not missing, nor one that a server may not have read yet', () => {
  const { commands } = open();
  expect(commands.missingIn(rows('a', 'bb'), at(60))).toEqual([]);
  expect(commands.missingIn(rows('a'), at(3))).toEqual([]);
});

test('a command is missing while the log of another database lacks it', () => {
  const { commands, retried } = open();
  commands.missingIn(rows('a', 'bb'), at(5));
  const missing = commands.missingIn(rows('x'), at(10));
  expect(missing).toMatchObject([
    { command: { id: 'a', text: 'a' }, givenAt: '18:36:01' },
    { command: { id: 'bb' }, givenAt: '18:36:02' },
  ]);
  expect(commands.missingIn(rows('x', 'y'), at(11))).toBe(missing);
  missing[1]?.retry();
  expect(retried).toEqual(['bb']);
  expect(commands.missingIn(rows('x', 'y', 'bb'), at(12))).toHaveLength(1);
  expect(commands.missingIn(rows('x', 'y', 'bb', 'a'), at(13))).toEqual([]);
  expect(commands.missingIn(rows('x'), at(14))).toHaveLength(2);
});

test('while the server has not read its record, nobody knows whether a command is missing', () => {
  const { commands } = open();
  expect(commands.missingIn(undefined, at(10))).toEqual([]);
  expect(commands.missingIn([], at(11))).toHaveLength(2);
});

test('a dropped command is no longer missing', () => {
  const { commands, changes } = open();
  commands.missingIn(rows('x'), at(10))[0]?.drop();
  expect(changes()).toBe(1);
  expect(commands.missingIn(rows('x'), at(11))).toMatchObject([{ command: { id: 'bb' } }]);
});
