import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { sellTickets } from '../../testing/gates/gates-listener.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { insertTickets } from '../../testing/database/database.ts';
import { importTickets } from '../import/import.ts';
import { simulatedIds, reserveEvent } from './simulated-id.ts';
import { simulate } from './simulate.ts';

const OTHER_EVENT = 'a'.repeat(32);
const QUICKLY = ['--tickets', '13', '--speed', '1e6'];

const tool = useGatesTool();
const { run, csv, tickets, entered } = tool;

test('simulated spectators come in, and not all of them', async () => {
  await run(simulate, '--tickets', '3000', '--speed', '50000');
  const total = await entered();
  expect(total).toBeGreaterThan(2_600);
  expect(total).toBeLessThan(2_950);
  expect(tool.stdout).toMatch(`All spectators are in: ${total} of 3000`);
});

test('a second simulation leaves the first alone, and replaces it with --reset', async () => {
  await run(simulate, ...QUICKLY, '--tickets', '20');
  await expect(run(simulate, ...QUICKLY)).rejects.toThrow(
    `The event ${DEFAULT_EVENT_ID} has 20 tickets of an earlier simulation. --reset deletes them first.`,
  );
  await tool.database.gates`update tickets set setor = '4', is_valid_ticket = false where id like '%01-%'`;
  await run(simulate, ...QUICKLY, '--reset');
  expect(await tickets()).toHaveLength(13);
});

test.each([[[]], [['--reset']]])(
  'an event with one real ticket among simulated ones is left as it is, simulate %j',
  async (options) => {
    await run(simulate, ...QUICKLY);
    await insertTickets(tool.database.gates, [{ id: 'real', setor: '4' }]);
    const before = await tickets();
    await expect(run(simulate, ...QUICKLY, ...options)).rejects.toThrow(
      `The event ${DEFAULT_EVENT_ID} has 1 ticket that simulate did not invent`,
    );
    expect(await tickets()).toEqual(before);
    expect(tool.stderr).toMatch(`Event ${DEFAULT_EVENT_ID}`);
  },
);

test('what only looks like a simulated ticket is a real one', async () => {
  const simulated = simulatedIds(DEFAULT_EVENT_ID)(1);
  const ids = [
    'simulado-0000001',
    'simulado-0000001-000000000000',
    `x${simulated}`,
    `${simulated}\n`,
    simulated.toUpperCase(),
    // Another event's.
    simulatedIds(OTHER_EVENT)(1),
  ];
  await sellTickets(tool.database, ids);
  await expect(run(simulate, ...QUICKLY, '--reset')).rejects.toThrow(`has ${ids.length} tickets that`);
  expect(await run(simulate, '--remove')).toBe(0);
  expect(await tickets()).toHaveLength(ids.length);
});

test('--remove deletes what simulate made in this event, and nothing else', async () => {
  await run(simulate, ...QUICKLY, '--event', OTHER_EVENT);
  await run(simulate, ...QUICKLY);
  await insertTickets(tool.database.gates, [{ id: 'real', setor: '4' }]);
  expect(await run(simulate, '--remove')).toBe(0);
  expect(tool.stdout).toMatch('13 simulated tickets deleted');
  const left = await tickets();
  expect(left).toContain('event|real|t|f|4');
  expect(left.filter((ticket) => ticket.startsWith(OTHER_EVENT))).toHaveLength(13);
  expect(left).toHaveLength(14);
});

test('real tickets are not imported among simulated ones', async () => {
  await run(simulate, ...QUICKLY);
  const before = await tickets();
  await expect(run(importTickets, csv('real,1,0,4'))).rejects.toThrow(
    /has 13 simulated tickets.*simulate --remove.*Nothing was imported\./,
  );
  expect(await tickets()).toEqual(before);
});

test.each([
  ['simulate', 'real', () => run(simulate, ...QUICKLY), /Another command is adding tickets/],
  ['import', 'simulated', () => run(importTickets, csv('real,1,0,4')), /simulate is filling the event/],
] as const)('%s does not begin while %s tickets are being added', async (_name, kind, command, words) => {
  const other = await tool.database.gates.reserve();
  await other`begin`;
  await reserveEvent(other, DEFAULT_EVENT_ID, kind);
  await expect(command()).rejects.toThrow(words);
  await other`rollback`;
  other.release();
  expect(await tickets()).toEqual([]);
});

test('an error of a gate system’s own table is reported, and nothing is changed', async () => {
  await tool.database.admin`alter table tickets add constraint small check (id not like 'simulado-%')`;
  await expect(run(simulate, ...QUICKLY)).rejects.toThrow(/refused this: .*"small".*Nothing was changed\.$/);
  await tool.database.admin`alter table tickets drop constraint small`;
});

test('incidents happen: a late batch comes in one commit, and people who enter unread stay out of the count', async () => {
  const incidents = ['--incident', 'lot:9@-10x100', '--incident', 'unread:8@-120'];
  await run(simulate, '--tickets', '6000', '--speed', '50000', ...incidents);
  const commits = await tool.database.gates<{ count: number; sectors: string[] }[]>`
    select count(*)::int as count, json_agg(distinct setor) as sectors
    from tickets where entrou group by xmin::text`;
  // But for those few that were taken back.
  const batches = commits.filter(({ count, sectors: of }) => of.join() === '9' && count > 90);
  expect(batches.map(({ count }) => count <= 100)).toEqual([true]);
  const sectors = new Set(commits.flatMap((commit) => commit.sectors));
  expect(sectors).toContain('7');
  expect(sectors).not.toContain('8');
  expect(tool.stdout).toMatch('120 min to kick-off: people enter sector 8 and are not read from now on\n');
  expect(tool.stdout).toMatch('10 min to kick-off: 100 readings of sector 9 come all at once\n');
});

test('an incident that cannot be is refused before a ticket is made', async () => {
  await expect(run(simulate, '--incident', 'stop:10@-35+6')).rejects.toThrow(
    'the sector "10", which this venue does not have',
  );
  await expect(run(simulate, '--incident', 'stop:7')).rejects.toThrow('is none of these:\n  stop:SECTOR@');
  expect(await tickets()).toEqual([]);
});
