import { expect, test } from 'vitest';
import { stillToEnter } from '../../desk/model/series/still-to-enter.ts';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { createTestDatabase, insertTickets } from '../../testing/database/database.ts';
import { writeAtRandom } from '../../testing/database/random-changes.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { openDesk, openDeskStream } from '../../testing/desk/desk-client.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { startTestServer, untilReady } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const database = openForAll(createTestDatabase);
const CODES = [...DEFAULT_VENUE.sectors.map(({ code }) => code), ''];

interface Counted {
  readonly code: string;
  readonly outside: number;
  readonly invalid: number;
}

async function countBySql(): Promise<readonly Counted[]> {
  const known = CODES.slice(0, -1);
  const rows = await database.admin<Counted[]>`
    select case when setor = any(string_to_array(${known.join()}, ',')) then setor else '' end as code,
      count(*) filter (where is_valid_ticket and not entrou)::int as outside,
      count(*) filter (where not is_valid_ticket and entrou)::int as invalid
    from tickets where event_id = ${DEFAULT_EVENT_ID} group by 1`;
  const byCode = new Map(rows.map((row) => [row.code, row]));
  return CODES.map((code) => byCode.get(code) ?? { code, outside: 0, invalid: 0 });
}

test('whatever is done to tickets, at each pause a desk knows who is valid and has not entered, as SQL counts it', async () => {
  await writeAtRandom(database, 300, { pauseMs: 0 });
  await insertTickets(database.gates, [{ id: 'annulled', setor: '4', valid: false, entrou: true }]);
  const server = await startTestServer(database, { DESK_KEY });
  await untilReady(server);
  const desk = await openDesk(server.url, { name: 'Ana', key: DESK_KEY });
  const stream = await openDeskStream(server.url, desk.cookie);
  for (let pauses = 0; pauses < 5; pauses += 1) {
    const counted = await countBySql();
    const sum = (of: 'outside' | 'invalid'): number => counted.reduce((all, row) => all + row[of], 0);
    expect(sum('invalid')).toBeGreaterThan(0);
    await until(() => {
      const { rows = [], total } = stream.state ?? {};
      expect(rows.map(({ code, ...row }) => ({ code, outside: stillToEnter(row) }))).toEqual(
        counted.map(({ code, outside }) => ({ code, outside })),
      );
      expect(total && stillToEnter(total)).toBe(sum('outside'));
    });
    // A new session begins with a snapshot.
    if (pauses === 2) await database.terminate('walsender');
    await writeAtRandom(database, 200, { pauseMs: 0 });
  }
});
