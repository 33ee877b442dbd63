import { expect, test } from 'vitest';
import { createTestDatabase, newEventId } from '../../testing/database/database.ts';
import { occurrence } from '../../testing/desk/log-rows.ts';
import { openTestRecord } from '../../testing/desk/record.ts';
import { until, unhinderedNow } from '../../testing/until.ts';
import { RECORD_LIMITS } from './record-limits.ts';

const ROWS = 100_000;

test('a log of 100,000 rows is read at the start without holding anything up, and written on', async () => {
  const database = await createTestDatabase();
  const eventId = newEventId();
  const { data, figures } = occurrence('x');
  await database.admin`
    insert into triagem.log (event_id, seq, id, at, source, kind, by_name, data, figures, previous)
    select ${eventId}, n, 'entry ' || n, to_timestamp(1795000000 + n), 'live', 'occurrence', 'Ana',
      ${JSON.stringify(data)}::text::jsonb, ${JSON.stringify(figures)}::text::jsonb,
      case n when 1 then '' else repeat('0', 64) end
    from generate_series(1, ${ROWS}) n`;
  // Only what this process does itself: on a machine that does other things, it waits for them, too.
  let [lastMs, longestMs] = [unhinderedNow(), 0];
  const looking = setInterval(() => {
    const nowMs = unhinderedNow();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
  }, 10);
  const startMs = unhinderedNow();
  const { record, events, logged } = openTestRecord({
    url: database.recordUrl,
    eventId,
    // One that waits for a processor keeps its session.
    limits: { ...RECORD_LIMITS, idleSessionMs: 60_000 },
  });
  await until(() => expect(record.state.kind).toBe('writer'), 60_000);
  const tookMs = unhinderedNow() - startMs;
  clearInterval(looking);
  expect(events.log).toHaveLength(ROWS);
  expect(events.loaded).toBe(1);
  expect(tookMs).toBeLessThan(20_000);
  // Longer than half of what PostgreSQL takes for silence, and the session would be at risk.
  expect(longestMs).toBeLessThan(1_000);
  expect(await record.append(occurrence('one more'))).toMatchObject({ seq: ROWS + 1 });
  expect(logged.map(({ msg }) => msg)).toEqual(['recording']);
});
