import { describe, expect, test } from 'vitest';
import { readVenue } from '../../domain/venue-file.ts';
import { askAs } from '../../testing/server/ask-as.ts';
import { namedEvent, startEventsApp } from '../../testing/fleet/events-app.ts';
import { openForAll, openForEach } from '../../testing/open-for-tests.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { EMAIL } from '../../testing/server/server.ts';
import { until } from '../../testing/until.ts';

const [A, B, C] = ['a'.repeat(32), 'b'.repeat(32), 'c'.repeat(32)] as const;
const SMALL = readVenue(
  JSON.stringify({
    name: 'Arena',
    timeZone: 'America/Manaus',
    sectors: [{ code: 'N', name: 'Norte', codes: ['4', '5'] }],
  }),
);
const FINAL = namedEvent(A, 'final.test', { title: 'Final' });
const SEMIFINAL = namedEvent(B, 'semifinal.test', { hosts: ['semifinal.test', '10.0.0.7'], venue: SMALL });

const start = () => startEventsApp([FINAL, SEMIFINAL]);

describe('each event is served under its names', () => {
  const app = openForAll(start);
  const configOf = async (host: string): Promise<Record<string, unknown>> =>
    JSON.parse((await askAs(app.url, host, '/config.json')).text) as Record<string, unknown>;

  test('with its page, account, venue and clock', async () => {
    const [final, semifinal] = [
      await askAs(app.url, 'final.test', '/'),
      await askAs(app.url, 'semifinal.test', '/'),
    ];
    expect(final.text).toContain(`Triagem · Final ${A}`);
    expect(semifinal.text).toContain(`Triagem ${B}`);
    expect(semifinal.text).toContain('<style>:root{--rows:');
    expect(semifinal.headers['content-security-policy']).toContain("style-src 'self' 'sha256-");
    expect(final.headers['content-security-policy']).toContain("style-src 'self';");

    expect(await configOf('final.test')).toEqual({
      eventId: A,
      email: EMAIL,
      key: expect.any(String) as unknown,
    });
    expect(await configOf('semifinal.test')).toMatchObject({
      eventId: B,
      sectors: [{ code: 'N', name: 'Norte' }],
    });
    expect(await configOf('10.0.0.7')).toEqual(await configOf('semifinal.test'));

    for (const [host, hours] of [
      ['final.test', -3],
      ['semifinal.test', -4],
    ] as const) {
      const client = await openPageClient(app.url, { host });
      await until(() =>
        expect(client.messages[0]).toMatchObject({ clock: { utcOffsetMs: hours * 3_600_000 } }),
      );
    }
  });

  test('with its own counts in the rows of its venue', async () => {
    const [final, semifinal] = [
      await openPageClient(app.url, { host: 'final.test' }),
      await openPageClient(app.url, { host: '10.0.0.7' }),
    ];
    app.count(A, { '4': 7, '99': 1 });
    app.count(B, { '4': 1, '5': 2, '6': 3 });
    await until(() =>
      expect(final.counts).toMatchObject({ total: 8, sectors: { '4': 7, '99': 1 }, others: 0 }),
    );
    await until(() => expect(semifinal.counts).toEqual({ total: 6, sectors: { N: 3 }, others: 3 }));
  });

  test.each(['final.test:8080', 'FINAL.Test', 'final.test.', 'Final.TEST.:80'])(
    'as %s, too',
    async (host) => {
      expect((await askAs(app.url, host, '/')).text).toContain(A);
    },
  );

  test.each([
    '',
    'other.test',
    'final.test.other.test',
    'sub.final.test',
    '127.0.0.1',
    '[::1]',
    'final.test@other.test',
  ])('and under "%s" nothing is, but health', async (host) => {
    for (const path of ['/', '/config.json', '/static/a.js', '/fluxo', `/api/events/${A}/live`, '/nothing']) {
      const { status, headers, text } = await askAs(app.url, host, path);
      expect([path, status, headers['content-type']]).toEqual([
        path,
        421,
        'application/problem+json; charset=utf-8',
      ]);
      expect(JSON.parse(text)).toEqual({
        type: 'about:blank',
        title: 'Misdirected Request',
        status: 421,
        detail: 'no event is served under this name',
      });
      expect(headers['content-security-policy']).toBe("default-src 'none';frame-ancestors 'none'");
    }
    const signIn = await askAs(app.url, host, '/api/sign-in', {
      method: 'POST',
      body: { email: EMAIL, key: 'x' },
    });
    expect([signIn.status, signIn.headers['connection']]).toEqual([421, 'close']);
    expect((await askAs(app.url, host, '/healthz')).status).toBe(200);
    expect((await askAs(app.url, host, '/readyz')).status).toBe(200);
  });
});

describe('when the file changes', () => {
  const app = openForEach(start);

  test('an event that is new is served at once, under the name of another, too', async () => {
    app.events.update([FINAL, SEMIFINAL, namedEvent(C, 'third.test')]);
    expect((await askAs(app.url, 'third.test', '/')).text).toContain(C);
    app.events.update([namedEvent(C, 'final.test')]);
    expect((await askAs(app.url, 'final.test', '/')).text).toContain(C);
    expect((await askAs(app.url, 'third.test', '/')).status).toBe(421);
  });

  test('the streams of one that is gone end, and those of the others go on', async () => {
    const [final, semifinal] = [
      await openPageClient(app.url, { host: 'final.test' }),
      await openPageClient(app.url, { host: 'semifinal.test' }),
    ];
    app.events.update([SEMIFINAL]);
    await until(() => expect(final.ended).toBe(true));
    await expect(openPageClient(app.url, { host: 'final.test' })).rejects.toThrow('421');
    app.count(B, { '4': 1 });
    await until(() => expect(semifinal.counts?.total).toBe(1));
    expect(semifinal.ended).toBe(false);
  });

  test('the streams of one of which something else is said end, and their pages find it', async () => {
    const before = await openPageClient(app.url, { host: 'final.test' });
    app.events.update([{ ...FINAL, venue: SMALL }, SEMIFINAL]);
    await until(() => expect(before.ended).toBe(true));
    const after = await openPageClient(app.url, { host: 'final.test' });
    app.count(A, { '4': 5 });
    await until(() => expect(after.counts).toEqual({ total: 5, sectors: { N: 5 }, others: 0 }));
  });

  test('the streams of one that loses a name end, and the page there finds whose name it is', async () => {
    app.events.update([{ ...FINAL, hosts: ['one.test', 'two.test'] }, SEMIFINAL]);
    const [one, two] = [
      await openPageClient(app.url, { host: 'one.test' }),
      await openPageClient(app.url, { host: 'two.test' }),
    ];
    app.events.update([
      { ...FINAL, hosts: ['one.test'] },
      { ...SEMIFINAL, hosts: ['two.test', ...SEMIFINAL.hosts] },
    ]);
    await until(() => expect([one.ended, two.ended]).toEqual([true, true]));
    app.count(A, { '4': 1 });
    app.count(B, { '4': 2 });
    const again = [
      await openPageClient(app.url, { host: 'one.test' }),
      await openPageClient(app.url, { host: 'two.test' }),
    ];
    await until(() => expect(again.map(({ counts }) => counts?.total)).toEqual([1, 2]));
  });

  test('another name of an event ends no stream', async () => {
    const final = await openPageClient(app.url, { host: 'final.test' });
    app.events.update([{ ...FINAL, hosts: ['final.test', 'www.final.test'] }, SEMIFINAL]);
    const other = await openPageClient(app.url, { host: 'www.final.test' });
    app.count(A, { '4': 5 });
    await until(() => expect([final.counts?.total, other.counts?.total]).toEqual([5, 5]));
  });
});

test('what nobody has asked for has not been made', async () => {
  const app = await start();
  expect(app.events.opened).toBe(0);
  await askAs(app.url, 'final.test', '/');
  await askAs(app.url, 'other.test', '/');
  expect(app.events.opened).toBe(1);
});

test('a proxy that is trusted says which host was asked for, and nobody else does', async () => {
  const app = await start();
  const forwarded = { headers: { 'x-forwarded-host': 'semifinal.test:443' } };
  const hosts = ['final.test', 'proxy.internal'];
  const answers = async (url: string): Promise<number[]> =>
    Promise.all(hosts.map(async (host) => (await askAs(url, host, '/', forwarded)).status));
  expect((await askAs(app.url, 'final.test', '/', forwarded)).text).toContain(A);
  expect(await answers(app.url)).toEqual([200, 421]);
  const behind = await startEventsApp([FINAL, SEMIFINAL], { trustProxy: true });
  expect((await askAs(behind.url, 'final.test', '/', forwarded)).text).toContain(B);
  expect(await answers(behind.url)).toEqual([200, 200]);
});
