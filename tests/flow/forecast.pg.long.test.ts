import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { DeskState } from '../../desk/model/desk-state.ts';
import { MINUTE_MS, minuteOf } from '../../desk/model/series/minute.ts';
import { createTestDatabase, insertTickets, newEventId } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { openDesk, openDeskStream } from '../../testing/desk/desk-client.ts';
import { recordGeneratedMatch } from '../../testing/desk/match-in-record.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
const SECTORS = ['4', '7', '99'];

/** Half of them are in. */
const tickets = (isInside: boolean): Record<string, string> =>
  Object.fromEntries(
    SECTORS.flatMap((sector) =>
      Array.from({ length: 100 }, (_, seat) => [`${sector}-${isInside}-${seat}`, sector]),
    ),
  );

test('a desk is told who will be in, from the matches that the record holds, until the ground is evacuated', async () => {
  const database = await createTestDatabase({ inside: tickets(true), outside: tickets(false) });
  const kickOffMs = minuteOf(Date.now()) + 40 * MINUTE_MS;
  for (let week = 1; week <= 9; week += 1) {
    await recordGeneratedMatch(database, { eventId: newEventId(), kickOffMs: kickOffMs - week * WEEK_MS });
  }
  await recordGeneratedMatch(database, {
    eventId: newEventId(),
    kickOffMs: kickOffMs - 10 * WEEK_MS,
    source: 'simulated',
  });
  await database.gates`
    insert into public.event_details (event_id, title, kick_off_at)
    values (${DEFAULT_EVENT_ID}, 'Palestra × Atlético', ${new Date(kickOffMs)})`;
  const env = { DESK_KEY, RECORD_DATABASE_URL: database.recordUrl };
  const server = await startTestServer(database, env);
  const desk = await openDesk(server.url, { name: 'Ana', key: DESK_KEY });
  const stream = await openDeskStream(server.url, desk.cookie);
  const outlook = () => {
    const forecast = (stream.state as DeskState).forecast;
    return forecast.kind === 'made' ? forecast.total?.[0] : undefined;
  };
  await until(() => expect(outlook()).toMatchObject({ range: { matches: 9, coverage: 0.8 } }));
  const { admitted, valid, expected, range } = outlook() ?? {};
  expect([admitted, valid, expected?.matches]).toEqual([300, 600, 9]);
  if (!range || 'why' in range) throw new Error('there is no range');
  expect(range.low).toBeGreaterThan(300);
  expect(range.low).toBeLessThan(range.high);
  expect(range.high).toBeLessThanOrEqual(600);

  await insertTickets(database.gates, { outside: { more: '4' } });
  await until(() => expect(outlook()?.valid).toBe(601));
  expect((await desk.command({ kind: 'evacuation', text: undefined })).status).toBe(200);
  await until(() => expect(stream.state?.forecast).toEqual({ kind: 'none', why: 'evacuated' }));
});
