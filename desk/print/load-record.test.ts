import { expect, test } from 'vitest';
import { DESK_KEY, startDeskApp } from '../../testing/desk/desk-app.ts';
import { openDesk } from '../../testing/desk/desk-client.ts';
import { occurrence } from '../../testing/desk/log-rows.ts';
import { loadRecord } from './load-record.ts';

test('a log that is too long to be printed is no server that does not answer', async () => {
  const { url, desk } = await startDeskApp();
  const ana = await openDesk(url, { name: 'Ana', key: DESK_KEY });
  const dataset = { event: desk.eventId, title: 'Final' };
  const page = { documentElement: { dataset } } as unknown as Document;
  const fetch: typeof globalThis.fetch = async (path) => ana.get(path as string);
  const entry = { ...occurrence('one'), previous: '' };
  desk.rows.push(...Array.from({ length: 20_001 }, (_, index) => ({ ...entry, seq: index + 1 })));
  expect(await loadRecord(page, fetch)).toEqual({ fault: 'too-long' });
});
