import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { verifyChain } from '../../desk/model/log/log-chain.ts';
import { RECORD_LIMITS } from '../../desk/record/record-limits.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { createTestDatabase, newEventId } from '../../testing/database/database.ts';
import { sha256 } from '../../desk/http/record-files.ts';
import { occurrence } from '../../testing/desk/log-rows.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { type Program, startProgram } from '../../testing/server/program.ts';
import { openTestRecord, RECORD_CODES } from '../../testing/desk/record.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { until } from '../../testing/until.ts';

const database = openForAll(createTestDatabase);
const PROGRAM = fileURLToPath(new URL('../../testing/desk/record-writer.mjs', import.meta.url));
const MODULE = new URL('../../build/desk/record/postgres-record.js', import.meta.url).href;

const eventId = newEventId();

interface Writer extends Pick<Program, 'child' | 'end'> {
  /** The ids of the entries whose answer it has had. */
  readonly answered: string[];
  /** How often it has become the one that writes. */
  readonly takeovers: number;
}

/** Records the event in a process of its own, as fast as it can. */
function startWriter(name: string): Writer {
  const options = { url: database.recordUrl, eventId, name, module: MODULE, codes: RECORD_CODES };
  const { child, end } = startProgram(process.execPath, [PROGRAM, JSON.stringify(options)], {
    ipc: true,
  });
  closeOnce(() => end('SIGKILL'));
  const writer = { child, end, answered: [] as string[], takeovers: 0 };
  child.on('message', (message: { answered?: string; writes?: true }) => {
    if (message.answered !== undefined) writer.answered.push(message.answered);
    if (message.writes) writer.takeovers += 1;
  });
  return writer;
}

const untilAnswered = (writer: Writer, count: number): Promise<void> =>
  until(() => expect(writer.answered.length).toBeGreaterThan(count));

/** Whose entries are recorded, in their order. */
async function readIds(): Promise<string[]> {
  const rows = await database.admin<{ id: string }[]>`
    select id from triagem.log where event_id = ${eventId} order by seq`;
  return rows.map(({ id }) => id);
}

/** All that was answered is recorded, once, and each minute whole; the chain holds. */
async function expectKept(answered: readonly string[]): Promise<void> {
  const { events, stop } = openTestRecord({ url: database.recordUrl, eventId });
  await until(() => expect(events.loaded).toBe(1));
  const ids = events.log.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(answered.filter((id) => !ids.includes(id))).toEqual([]);
  expect(verifyChain(eventId, events.log, sha256).broken).toBeUndefined();
  const partial = await database.admin`
    select minute from triagem.minutes where event_id = ${eventId}
    group by minute having count(*) <> ${RECORD_CODES.length + 1}`;
  expect(partial).toEqual([]);
  await stop();
}

test('a writer that is stopped for a while: another takes over within 3 s, and it writes nothing when it wakes', async () => {
  const stopped = startWriter('stopped');
  await untilAnswered(stopped, 5);
  // A test that waits for a processor keeps the lock meanwhile.
  const limits = { ...RECORD_LIMITS, idleSessionMs: 60_000 };
  const { record, events, stop } = openTestRecord({ url: database.recordUrl, eventId, limits });
  await until(() => expect(record.state).toEqual({ kind: 'standby' }));
  await untilAnswered(stopped, stopped.answered.length + 5 + Math.random() * 20);
  stopped.child.kill('SIGSTOP');
  const stopwatch = startStopwatch();
  await until(() => expect(record.state).toEqual({ kind: 'writer' }));
  expect(await stopwatch.elapsedMs()).toBeLessThan(3_000);
  const before = await readIds();
  await record.append(occurrence('after it'));
  stopped.child.kill('SIGCONT');
  // As long as it takes to find that its session is gone, and to come back as a standby.
  await until(async () => {
    const [{ sessions }] = await database.admin<[{ sessions: number }]>`
      select count(*)::int as sessions from pg_stat_activity where application_name = ${`triagem record ${eventId}`}`;
    expect(sessions).toBe(2);
  });
  await pause(700);
  expect(await readIds()).toEqual([...before, 'after it']);
  expect(record.state).toEqual({ kind: 'writer' });
  await stop();
  // It goes on where it was, once nobody else writes.
  await untilAnswered(stopped, stopped.answered.length);
  expect(stopped.takeovers).toBe(2);
  await stopped.end('SIGKILL');
  await expectKept([...stopped.answered, ...events.log.map(({ id }) => id)]);
});
