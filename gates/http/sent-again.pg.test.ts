import { beforeEach, expect, test } from 'vitest';
import { insertTickets } from '../../testing/database/database.ts';
import { useGatesListener } from '../../testing/gates/gates-listener.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { backup } from '../backup/backup.ts';
import { restore } from '../backup/restore.ts';
import { cancel } from '../import/cancel.ts';
import { importTickets } from '../import/import.ts';

const tool = useGatesTool();
const { tickets } = tool;
const listener = useGatesListener(tool);

beforeEach(async () => {
  await insertTickets(tool.database.gates, [{ id: 'a', setor: '4' }]);
});

const CHANGES: readonly (readonly [
  by: string,
  fields: Readonly<Record<string, unknown>>,
  change: () => Promise<unknown>,
])[] = [
  ['cancel', { isValidTicket: true }, () => tool.run(cancel, '--id', 'a', '--yes')],
  ['import --update', { setor: '9' }, () => tool.run(importTickets, tool.csv('a,true,false,4'), '--update')],
];

test.each(CHANGES)('a message sent again, or late, does not undo %s', async (_by, fields, change) => {
  const message = { id: 'a', entrou: true, ...fields, at: '2025-03-26T20:15:00-03:00' };
  await listener.post(message);
  expect(await change()).toBe(0);
  const after = await tickets();
  expect((await listener.post(message)).answer).toMatchObject({ older: 1 });
  // Between that message and the change.
  const late = { ...message, at: new Date(Date.now() - 60_000).toISOString() };
  await listener.post(late);
  expect(await tickets()).toEqual(after);
  // An entry of before the change counts all the same.
  await tool.database.gates`update tickets set entrou = false`;
  const entered = { id: 'a', entrou: true, at: new Date(Date.now() - 30_000).toISOString() };
  expect((await listener.post(entered)).answer).toMatchObject({ applied: 1 });
});

test('a message sent again does not undo what was changed by SQL since', async () => {
  const message = { id: 'a', entrou: true, isValidTicket: true, at: '2025-03-26T20:15:00-03:00' };
  await listener.post(message);
  await tool.database.gates`update tickets set entrou = false where id = 'a'`;
  expect((await listener.post(message)).answer).toMatchObject({
    older: 1,
    withoutEffect: [{ outcome: 'older', lastAt: '2025-03-26T23:15:00.000000Z' }],
  });
  expect(await tickets()).toContain('event|a|t|f|4');
});

const RETURNS: readonly (readonly [
  by: string,
  prepare: (file: string) => Promise<unknown>,
  bring: (file: string) => Promise<number>,
])[] = [
  ['import', async () => {}, () => tool.run(importTickets, tool.csv('a,true,false,4'))],
  ['restore', (file) => tool.run(backup, file), (file) => tool.run(restore, file)],
];

test.each(RETURNS)(
  'a message sent again counts where its ticket was deleted by SQL, and came back by %s',
  async (by, prepare, bring) => {
    const file = `${tool.folder}/${by}.sql.gz`;
    await prepare(file);
    const message = { id: 'a', entrou: true, at: '2025-03-26T20:15:00-03:00' };
    await listener.post(message);
    await tool.database.gates`delete from tickets`;
    expect(await bring(file)).toBe(0);
    expect((await listener.post(message)).answer).toMatchObject({ applied: 1 });
    expect(await tickets()).toContain('event|a|t|t|4');
  },
);
