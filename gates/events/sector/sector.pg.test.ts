import { expect, test } from 'vitest';
import { useGatesTool } from '../../../testing/gates/gates-tool.ts';
import { GatesError, UsageError } from '../../cli/errors.ts';
import { listSectors } from './list.ts';
import { setSector } from './set.ts';

const EVENT = 'e'.repeat(32);
const OF_EVENT = ['--event', EVENT];

const tool = useGatesTool();
const { run } = tool;

const documents = () =>
  tool.database.gates<{ code: string; data: unknown }[]>`
    select code, data from sectors where event_id = ${EVENT} order by code`;

test('a capacity is written into the document of the sector, and leaves the rest of it', async () => {
  await tool.database.gates`insert into sectors values (${EVENT}, '7', '{"gate":"G2","capacity":1}')`;
  await run(setSector, '7', '--capacity', '5000', ...OF_EVENT);
  await run(setSector, '99', '--capacity', '700', ...OF_EVENT);
  expect(tool.stdout).toBe(
    `The sector "7" has a capacity of 5000 at the event ${EVENT}\nThe sector "99" has a capacity of 700 at the event ${EVENT}\n`,
  );
  expect(await documents()).toEqual([
    { code: '7', data: { gate: 'G2', capacity: 5_000 } },
    { code: '99', data: { capacity: 700 } },
  ]);
  await run(setSector, '7', '--capacity', 'none', ...OF_EVENT);
  await run(setSector, '8', '--capacity', 'none', ...OF_EVENT);
  expect(await documents()).toEqual([
    { code: '7', data: { gate: 'G2' } },
    { code: '99', data: { capacity: 700 } },
  ]);
});

test('the list has the sectors in the order of the screen, with their permitted capacities: seats are none', async () => {
  await run(setSector, '99', '--capacity', '700', ...OF_EVENT);
  await run(listSectors, ...OF_EVENT, '--json');
  const listed = JSON.parse(tool.stdout.slice(tool.stdout.indexOf('['))) as { code: string }[];
  expect(listed).toHaveLength(13);
  expect(listed[0]).toEqual({ code: '6', name: 'CAMAROTES', capacity: null, venueCapacity: null });
  expect(listed.find(({ code }) => code === '99')).toMatchObject({ capacity: 700, venueCapacity: null });
  await run(listSectors, ...OF_EVENT);
  expect(tool.stdout).toContain('code  capacity  venue  name\n6            -      -  CAMAROTES\n');
  expect(tool.stdout).toContain('99         700      -  OESTE LOUNGE BRAHMA\n');
});

test.each([
  [['77', '--capacity', '5'], GatesError, /The venue has no sector "77"\. It has "6", /],
  [['7'], UsageError, /--capacity is missing/],
  [['7', '--capacity', '0'], UsageError, /not a whole number from 1 on/],
  [['7', '--capacity', '2000000'], UsageError, /at most 1000000/],
  [[], UsageError, /CODE is missing/],
])('what makes no sense is refused: %j', async (args, kind, words) => {
  const error: unknown = await run(setSector, ...args, ...OF_EVENT).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(kind);
  expect((error as Error).message).toMatch(words);
  expect(await documents()).toEqual([]);
});

test('a document that is no object is left alone', async () => {
  await tool.database.gates`insert into sectors values (${EVENT}, '7', '[1]')`;
  await expect(run(setSector, '7', '--capacity', '5', ...OF_EVENT)).rejects.toThrow(/is no JSON object/);
  expect(await documents()).toEqual([{ code: '7', data: [1] }]);
});
