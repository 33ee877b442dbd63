import { expect, test } from 'vitest';
import { askAs } from '../../testing/server/ask-as.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { namedEvent, startEventsApp } from '../../testing/fleet/events-app.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { deriveEventKey } from '../../fleet/events/event-keys.ts';

/** As documents of Firestore may be named: what a path, a query, a header or a page would take for their own. */
const IDS = [
  'Final-2026',
  'A × B: 100%? #1 & <b>"it\'s"</b> {{title}} \\ +;\u202e',
  '..%2F',
  // The longest ones, also once they are encoded.
  '€'.repeat(500),
  'é'.repeat(750),
];
const CASES = IDS.map((eventId, index) => ({ eventId, host: `e${index}.exemplo.test`, total: 7 + index }));

const app = openForAll(async () => {
  const started = await startEventsApp(CASES.map(({ eventId, host }) => namedEvent(eventId, host)));
  for (const { eventId, total } of CASES) started.count(eventId, { '4': total });
  return started;
});

test.each(CASES)(
  'the event "$host" is served by its ID, and by no other',
  async ({ eventId, host, total }) => {
    const client = await openPageClient(app.url, { host });
    await client.reaches('the first counts', ({ counts }) => counts?.total === total, 5_000);
    const config = await askAs(app.url, host, '/config.json');
    expect(JSON.parse(config.text)).toMatchObject({ eventId });
    const another = await askAs(app.url, host, `/api/events/${encodeURIComponent(`${eventId}x`)}/live`);
    expect(another.status).toBe(404);
  },
);

test.each(CASES)('the files of "$host" have a name that every system takes', async ({ eventId, host }) => {
  const key = deriveEventKey(DESK_KEY, 'desk', eventId);
  const origin = `http://${host}`;
  const { cookie } = await askAs(app.url, host, '/fluxo/api/sign-in', {
    method: 'POST',
    headers: { origin },
    body: { name: 'Ana', key },
  });
  const path = `/fluxo/api/events/${encodeURIComponent(eventId)}/record/log.csv`;
  const { status, headers } = await askAs(app.url, host, path, { headers: { cookie } });
  expect([status, headers['content-disposition']]).toEqual([
    200,
    expect.stringMatching(/^attachment; filename="triagem-[A-Za-z0-9._-]{1,64}-\d{4}-\d\d-\d\d-log\.csv"$/),
  ]);
});

test('a page names its event as text, and nothing of it is filled in or run', async () => {
  const { text } = await askAs(app.url, 'e1.exemplo.test', '/');
  expect(text).toContain(
    'A × B: 100%? #1 &amp; &lt;b&gt;&quot;it&#39;s&quot;&lt;/b&gt; {{title}} \\ +;\u202e</body>',
  );
});
