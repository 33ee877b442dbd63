import { expect, test } from 'vitest';
import { MINUTE_MS, minuteOf } from '../model/series/minute.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { recordGeneratedMatch } from '../../testing/desk/match-in-record.ts';
import { GatesError, UsageError } from '../../gates/cli/errors.ts';
import { drill } from './drill.ts';
import { verifyRecord } from './verify.ts';

const MATCH = 'a'.repeat(32);
const EXERCISE = 'e'.repeat(32);
const KICK_OFF_MS = Date.UTC(2026, 4, 2, 19);
const NAMED = ['--from', MATCH, '--event', EXERCISE, '--yes'];
const STOP = ['--incident', 'stop:7@-20+8'];

const tool = useGatesTool();

const recordMatch = (hasTimes = true): Promise<number> =>
  recordGeneratedMatch(tool.database, { eventId: MATCH, kickOffMs: KICK_OFF_MS, hasTimes });

async function refusal(
  args: readonly string[],
  kind: typeof GatesError | typeof UsageError,
): Promise<string> {
  const error: unknown = await tool.run(drill, ...args).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(kind);
  return (error as Error).message;
}

test('an exercise is the record of an event of its own, all of it simulated, as if it had just ended', async () => {
  await recordMatch();
  expect(await tool.run(drill, ...NAMED, ...STOP, '--incident', 'lot:4@-10x150')).toBe(0);
  expect(tool.stdout).toMatch(
    /^192 minutes and \d+ alarms? recorded for the event e{32}, all of them simulated\n$/,
  );
  const { admin } = tool.database;
  const sums = await admin`
    select event_id, source, count(*)::int as rows, sum(net)::int as net, max(minute) as last
    from triagem.minutes group by event_id, source order by event_id`;
  expect(sums).toMatchObject([
    { event_id: MATCH, source: 'live', rows: 4 * 192 },
    { event_id: EXERCISE, source: 'simulated', rows: 14 * 192, net: sums[0]?.['net'] as number },
  ]);
  const lastMs = (sums[1]?.['last'] as Date | undefined)?.getTime() ?? 0;
  expect(minuteOf(Date.now()) - lastMs).toBeLessThanOrEqual(2 * MINUTE_MS);
  const log = await admin`
    select source, kind, sector, data from triagem.log where event_id = ${EXERCISE} order by seq`;
  expect(new Set(log.map(({ source }) => source as string))).toEqual(new Set(['simulated']));
  const stopped = log.find(({ kind, sector }) => kind === 'alarm' && sector === '7');
  expect(stopped).toMatchObject({ data: { rule: 'stopped' } });
  expect(log.find(({ kind }) => kind === 'lot')).toMatchObject({ sector: '4', data: { count: 150 } });
  expect(log.at(-1)?.['data']).toEqual({
    text: 'SIMULADO: fim do exercício; foi inventado: stop:7@-20+8, lot:4@-10x150',
  });
  expect(await tool.run(verifyRecord)).toBe(0);
  const [sold] = await tool.database.gates`
    select count(*) filter (where entrou)::int as entered, bool_and(id like 'simulado-%') as "areSimulated"
    from tickets where event_id = ${EXERCISE}`;
  expect(sold).toEqual({ entered: sums[1]?.['net'] as number, areSimulated: true });
  const [details] = await tool.database.gates`select * from event_details where event_id = ${EXERCISE}`;
  expect(details).toMatchObject({ title: 'SIMULADO: exercício', gates_open_at: null });
});

test('an exercise changes nothing that is recorded: its event has nothing yet, and the match is there', async () => {
  expect(await refusal([...NAMED, ...STOP], GatesError)).toMatch(/Nothing of the event a{32} is recorded/);
  await recordMatch(false);
  expect(await refusal([...NAMED, ...STOP], GatesError)).toMatch(
    /does not say its kick-off: name it with --kick-off/,
  );
  const kickOff = ['--kick-off', new Date(KICK_OFF_MS).toISOString().slice(0, 16) + 'Z'];
  expect(await refusal([...NAMED, ...kickOff, '--incident', 'stop:80@-20+8'], UsageError)).toMatch(/"80"/);
  const earlier = ['--kick-off', new Date(KICK_OFF_MS - 3_600_000).toISOString().slice(0, 16) + 'Z'];
  expect(await refusal([...NAMED, ...earlier, '--incident', 'stop:7@-100+8'], GatesError)).toMatch(
    /names the minute -100, and the match is recorded from -\d+ to \d+: .*Nothing was recorded/s,
  );
  expect(await tool.run(drill, ...NAMED, ...kickOff, ...STOP)).toBe(0);
  expect(await refusal([...NAMED, ...kickOff, ...STOP], GatesError)).toMatch(
    /is recorded already.*Nothing was recorded/s,
  );
  const [{ events }] = await tool.database.admin<[{ events: number }]>`
    select count(distinct event_id)::int as events from triagem.minutes`;
  expect(events).toBe(2);
  await tool.database.admin`truncate triagem.log`;
  await tool.database.admin`delete from triagem.minutes where event_id = ${EXERCISE}`;
  expect(await refusal([...NAMED, ...kickOff, ...STOP], GatesError)).toMatch(
    /has tickets.*Nothing was recorded/s,
  );
});

test.each([
  [['--event', EXERCISE, ...STOP, '--yes'], /--from is missing/],
  [['--from', MATCH, ...STOP, '--yes'], /--event is missing/],
  [['--from', MATCH, '--event', MATCH, ...STOP, '--yes'], /are the same/],
  [NAMED, /--incident is missing/],
  [[...NAMED, '--incident', 'fire:7@-20'], /is none of these/],
  [[...NAMED.slice(0, -1), ...STOP], /It needs --yes/],
])('%j is refused', async (args, why) => {
  expect(await refusal(args, UsageError)).toMatch(why);
});
