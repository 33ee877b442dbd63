import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { setMatchTimes } from './match-times.ts';

const database = openForAll(createTestDatabase);
const GATES_OPEN_MS = Date.UTC(2026, 10, 22, 19, 30, 0, 250);

test('the match begins two hours after its gates opened, by the title that it has', async () => {
  const times = { eventId: DEFAULT_EVENT_ID, title: 'Palestra × Atlético', gatesOpenMs: 0 };
  await setMatchTimes(database.gatesUrl, times);
  await database.gates`update event_details set title = 'Final', time_zone = 'America/Fortaleza'`;
  await setMatchTimes(database.gatesUrl, { ...times, gatesOpenMs: GATES_OPEN_MS });
  expect([...(await database.gates`select * from event_details`)]).toEqual([
    {
      event_id: DEFAULT_EVENT_ID,
      title: 'Final',
      gates_open_at: new Date(GATES_OPEN_MS),
      kick_off_at: new Date(GATES_OPEN_MS + 7_200_000),
      time_zone: 'America/Fortaleza',
    },
  ]);
});
