import { describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { titleOf } from '../domain/event-title.ts';
import { readConfig } from './config.ts';

const OWN = {
  DATABASE_URL: 'postgres://observer:secret@db.example:5432/triagem',
  DASHBOARD_EMAIL: 'painel@exemplo.test',
  DASHBOARD_KEY: 'k'.repeat(16),
  SESSION_SECRET: 's'.repeat(16),
};

describe('the settings', () => {
  test('need none for the embedded database', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      eventId: DEFAULT_EVENT_ID,
      title: 'Triagem',
      timeZone: 'America/Sao_Paulo',
      demo: false,
      dashboardKey: undefined,
      trustProxy: false,
      source: { kind: 'embedded' },
      embedded: { dataDir: undefined, port: 54_329 },
    });
  });

  test('take an empty value as not set', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: ' ', DATA_DIR: '' })).toEqual(readConfig({}));
  });

  test('say that nothing of the event is real', () => {
    expect(readConfig({ SIMULATED: 'yes' }).demo).toBe(true);
    expect(() => readConfig({ SIMULATED: 'true' })).toThrow(/SIMULATED is "true": give yes, or nothing/);
  });

  test('name where the flow is recorded, beside either database', () => {
    const RECORD_DATABASE_URL = 'postgres://record:secret@db.example:5432/triagem';
    const record = { kind: 'postgres', url: RECORD_DATABASE_URL };
    expect(readConfig({ RECORD_DATABASE_URL }).record).toEqual(record);
    expect(readConfig({ ...OWN, RECORD_DATABASE_URL }).record).toEqual(record);
    expect(readConfig({}).record).toEqual({ kind: 'embedded' });
    expect(readConfig(OWN).record).toEqual({ kind: 'memory' });
    const wrong = (): unknown => readConfig({ RECORD_DATABASE_URL: 'postgres://a:secret@one,/triagem' });
    expect(wrong).toThrow(/RECORD_DATABASE_URL has no host in place 2 of its 2: write/);
    expect(wrong).not.toThrow(/secret/);
  });

  test('name where subscriptions bring tickets from, and those that bring none', () => {
    expect(readConfig({}).source).toMatchObject({ subscriptions: { url: undefined, unwatched: [] } });
    const SOURCE_DATABASE_URL = 'postgres://leitor:secret@one.example,two.example:5433/bilheteria';
    expect(readConfig({ SOURCE_DATABASE_URL, UNWATCHED_SUBSCRIPTIONS: 'crm, "b" ,' }).source).toMatchObject({
      subscriptions: { url: SOURCE_DATABASE_URL, unwatched: ['crm', '"b"'] },
    });
    const wrong = (): unknown => readConfig({ SOURCE_DATABASE_URL: 'host=one password=secret' });
    expect(wrong).toThrow(/SOURCE_DATABASE_URL is no connection string: write/);
    expect(wrong).not.toThrow(/secret/);
  });

  test('name another server', () => {
    expect(readConfig(OWN)).toMatchObject({
      dashboardKey: OWN.DASHBOARD_KEY,
      source: { kind: 'postgres', url: OWN.DATABASE_URL },
      embedded: undefined,
    });
  });

  test('are refused in one message that names every fault and its fix, and no secret', () => {
    const faulty = {
      DATABASE_URL: 'mysql://x:secret@y/z',
      PORT: '99999',
      EVENT_ID: 'xyz',
      DASHBOARD_KEY: 'short-key',
    };
    const read = (): unknown => readConfig(faulty);
    for (const part of [
      /DATABASE_URL is no connection string: write postgres:/,
      /PORT is "99999": give a port/,
      /EVENT_ID is "xyz": give 32 hexadecimal/,
      /DASHBOARD_EMAIL is missing/,
      /DASHBOARD_KEY is too short: give at least 16/,
      /SESSION_SECRET is missing/,
    ]) {
      expect(read).toThrow(part);
    }
    expect(read).not.toThrow(/secret|short-key/);
  });

  const KEYWORDS = 'host=h1,h2 port=5432 dbname=triagem';
  test.each(['postgres://', 'postgres://u:a%zz@h/db', 'postgres://h', 'h/db', KEYWORDS])(
    'refuse the database %s',
    (url) => {
      expect(() => readConfig({ ...OWN, DATABASE_URL: url })).toThrow(/DATABASE_URL is no connection string/);
    },
  );

  test.each([
    ['h1,,h2/db', /DATABASE_URL has no host in place 2 of its 3: write them as host1:5432,host2:5432/],
    ['h1:5432,h2:x/db', /has no host in place 2 of its 2/],
    ['h1,::1/db', /has no host in place 2 of its 2/],
    ['u:se,cret/x@h/db', /DATABASE_URL is no connection string/],
    ['h1,h2:5433/db?port=5432', /has its port after the question mark: one number there is that of all/],
    ['h1,h2/db?port=1,2', /has its port after the question mark/],
    ['h1,h2/db?target_session_attrs=prefer-standby', /leads to standbys: leave it out/],
    ['u:p,q@/db?host=h1,h2', /is no connection string|has its host after the question mark/],
    ['u:p,q@h/db?host=h1', /has its host after the question mark: write postgres:/],
    ['h/db?search_path=x', /sets search_path: leave it out/],
  ])('refuse the server postgres://%s', (rest, words) => {
    expect(() => readConfig({ ...OWN, DATABASE_URL: `postgres://${rest}` })).toThrow(words);
  });

  const ATTRIBUTES = 'target_session_attrs=primary';
  test.each(['h1:5432,h2:5433/db', `h1,[::1]:5433,h3/db?${ATTRIBUTES}`, 'h1,h2/db?port=5433', 'h/db'])(
    'take the hosts of postgres://u:p,q@%s, with a comma in the password',
    (rest) => {
      expect(() => readConfig({ ...OWN, DATABASE_URL: `postgres://u:p,q@${rest}` })).not.toThrow();
    },
  );

  test.each([
    [{ PORT: '4000', METRICS_PORT: '4000' }, /METRICS_PORT is 4000, and so is PORT: give each a port/],
    [{ PORT: '4000', METRICS_PORT: '4000', HOST: '0.0.0.0' }, /METRICS_PORT is 4000, and so is PORT/],
    [{ PORT: '54329' }, /EMBEDDED_DATABASE_PORT is 54329, and so is PORT/],
    [{ DASHBOARD_KEY: 'short' }, /DASHBOARD_KEY is too short/],
  ])('refuse one port for two, and a short key beside the embedded database: %j', (env, words) => {
    expect(() => readConfig(env)).toThrow(words);
  });

  test.each([
    { PORT: '4000', METRICS_PORT: '4000', HOST: '10.0.0.1', METRICS_HOST: '10.0.0.2' },
    { PORT: '0', METRICS_PORT: '0', EMBEDDED_DATABASE_PORT: '0' },
  ])('take one port on two addresses, and any free one: %j', (env) => {
    expect(() => readConfig(env)).not.toThrow();
  });

  test('have no flow desk unless its key is set, which is long, and not what every screen receives', () => {
    expect(readConfig(OWN).deskKey).toBeUndefined();
    expect(readConfig({ DESK_KEY: ` ${'d'.repeat(16)} ` }).deskKey).toBe('d'.repeat(16));
    expect(() => readConfig({ DESK_KEY: 'd'.repeat(15) })).toThrow(/DESK_KEY is too short: give at least 16/);
    expect(() => readConfig({ ...OWN, DESK_KEY: OWN.DASHBOARD_KEY })).toThrow(
      /DESK_KEY is the same as DASHBOARD_KEY, which every screen receives: give it a value of its own/,
    );
  });

  test.each(['3000x', '-1', '1.5', '0x10'])('refuse the port %s', (PORT) => {
    expect(() => readConfig({ PORT })).toThrow(/PORT/);
  });

  test.each(['America/Manaus', 'america/fortaleza', 'UTC'])('take the time zone %s', (TIME_ZONE) => {
    expect(readConfig({ TIME_ZONE }).timeZone).toBe(TIME_ZONE);
  });

  test.each(['Brasil', 'America/Sao Paulo', '-03:00', 'São Paulo'])(
    'refuse the time zone %s',
    (TIME_ZONE) => {
      expect(() => readConfig({ TIME_ZONE })).toThrow(
        `TIME_ZONE is "${TIME_ZONE}": give an IANA name, as America/Sao_Paulo`,
      );
    },
  );

  test.each(['0', '-1', '1.5', 'many', '99999999'])('refuse %s viewers', (value) => {
    expect(() => readConfig({ MAX_VIEWERS: value })).toThrow(/MAX_VIEWERS is ".*": give a whole number/);
    expect(() => readConfig({ MAX_VIEWERS_PER_ADDRESS: value })).toThrow(/MAX_VIEWERS_PER_ADDRESS is/);
  });
});

test.each([
  [undefined, 'Triagem'],
  ['Triagem', 'Triagem'],
  ['Palestra × Atlético', 'Triagem · Palestra × Atlético'],
  ['Triagem · Palestra', 'Triagem · Palestra'],
  ['Triagem de sócios', 'Triagem · Triagem de sócios'],
])('the event title %s is shown as %s', (eventTitle, title) => {
  expect(titleOf(eventTitle)).toBe(title);
});
