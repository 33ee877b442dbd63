import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { closeOnce } from '../../testing/close-once.ts';
import { createTestDatabase, newEventId } from '../../testing/database/database.ts';
import { occurrence } from '../../testing/desk/log-rows.ts';
import { readRecipe } from '../../testing/gates/recipes.ts';
import { openTestRecord, someMinutes } from '../../testing/desk/record.ts';
import { until } from '../../testing/until.ts';

const recipe = (name: string): string => readRecipe(name, {}, 'docs/record.md');

test('the reader and the three queries of docs/record.md, as they stand, show the last match and change nothing', async () => {
  const database = await createTestDatabase();
  // Roles are the cluster's, which other tests share.
  const name = `reader_${randomBytes(6).toString('hex')}`;
  await database.admin.unsafe(
    recipe('reader').replaceAll('triagem_reader', name).replace('PASSWORD', 'secret'),
  );
  const reader = postgres(
    Object.assign(new URL(database.recordUrl), { username: name, password: 'secret' }).href,
    {
      max: 1,
    },
  );
  closeOnce(async () => {
    await reader.end({ timeout: 1 });
    await database.admin.unsafe(`drop owned by ${name}; drop role ${name}`);
  });
  for (const [first, id] of [
    [0, 'earlier'],
    [1_000, 'a'],
  ] as const) {
    const { record, stop } = openTestRecord({ url: database.recordUrl, eventId: newEventId() });
    await until(() => expect(record.state.kind).toBe('writer'));
    record.writeMinutes(someMinutes(first, 3));
    const atMs = 1_795_000_000_000 + first;
    await record.append(occurrence(id, 'portão 7 fechado', atMs));
    await record.append(occurrence(`${id} in error`, 'x', atMs + 1));
    const takeBack = { kind: 'take-back', data: { id: `${id} in error` } } as const;
    await record.append({ ...occurrence(`${id} back`, '', atMs + 2), ...takeBack });
    const mark = { kind: 'mark', data: { mark: 'suspended' } } as const;
    await record.append({ ...occurrence(`${id} mark`, '', atMs + 3), ...mark });
    const ended = { kind: 'take-back', data: { id: `${id} mark`, why: 'ended' } } as const;
    await record.append({ ...occurrence(`${id} ended`, '', atMs + 4), ...ended });
    await stop();
  }
  const minutes = someMinutes(1_000, 3);
  const sum = (key: 'admitted' | 'valid'): string[] =>
    minutes.map(({ sectors }) => String(sectors.reduce((all, sector) => all + sector[key], 0)));
  const admitted = await reader.unsafe(recipe('admitted'));
  expect(admitted.map((row) => row['admitted'] as unknown)).toEqual(sum('admitted'));
  expect(admitted.map((row) => row['valid'] as unknown)).toEqual(sum('valid'));
  expect(admitted[0]?.['time']).toEqual(new Date((minutes[0]?.minuteMs ?? 0) + 60_000));
  const perMinute = await reader.unsafe(recipe('per-minute'));
  expect(perMinute).toEqual(
    minutes.flatMap(({ minuteMs, sectors }) =>
      ['others', '4', '99'].map((metric, index) => ({
        time: new Date(minuteMs),
        metric,
        value: 10 - (sectors.at(index - 1)?.lots ?? 0),
      })),
    ),
  );
  expect(await reader.unsafe(recipe('annotations'))).toEqual([
    { time: new Date(1_795_000_001_000), title: 'occurrence · 7 · Ana Lúcia', text: 'portão 7 fechado' },
    { time: new Date(1_795_000_001_003), title: 'mark · 7 · Ana Lúcia', text: null },
  ]);
  for (const statement of [
    'delete from triagem.log',
    'select from public.tickets',
    'create table triagem.x ()',
  ]) {
    await expect(reader.unsafe(statement)).rejects.toThrow(/permission denied|read-only/);
  }
});
