import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { readConfig } from '../config.ts';

test('send alarms nowhere unless a URL is set, with a secret that signs them', () => {
  const DESK_KEY = 'd'.repeat(16);
  const ALARM_WEBHOOK_URL = 'https://chat.example/hooks/token-of-theirs';
  const ALARM_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  expect(readConfig({ DESK_KEY, ALARM_WEBHOOK_SECRET }).alarmWebhook).toBeUndefined();
  expect(readConfig({ DESK_KEY, ALARM_WEBHOOK_URL, ALARM_WEBHOOK_SECRET }).alarmWebhook).toEqual({
    url: ALARM_WEBHOOK_URL,
    key: Buffer.alloc(32, 7),
  });
  const read = (env: Record<string, string>) => (): unknown => readConfig({ ALARM_WEBHOOK_URL, ...env });
  expect(read({})).toThrow(/ALARM_WEBHOOK_URL is set, and DESK_KEY is not: .* set both/);
  expect(read({ DESK_KEY })).toThrow(/ALARM_WEBHOOK_SECRET is missing: .*openssl rand -base64 32/);
  for (const secret of ['s'.repeat(32), 'whsec_c2hvcnQ=', `whsec_${'ä'.repeat(40)}`, 'whsec_']) {
    const short = read({ DESK_KEY, ALARM_WEBHOOK_SECRET: secret });
    expect(short).toThrow(/ALARM_WEBHOOK_SECRET is no "whsec_" with 24 to 64 bytes in base64/);
  }
  for (const url of ['chat.example', 'ftp://chat.example', 'https://', 'https://u:token-of-theirs@chat']) {
    const wrong = read({ DESK_KEY, ALARM_WEBHOOK_SECRET, ALARM_WEBHOOK_URL: url });
    expect(wrong).toThrow(/ALARM_WEBHOOK_URL (?:is no URL of a receiver|holds a user)/);
    expect(wrong).not.toThrow(/token-of-theirs/);
  }
});

test.each([
  ['http://127.0.0.1:3000/hook', {}, 'PORT'],
  ['http://localhost:3000', {}, 'PORT'],
  ['http://[::1]:8080/', { HOST: '::', PORT: '8080' }, 'PORT'],
  ['http://127.0.0.7:8080/', { HOST: '0.0.0.0', PORT: '8080' }, 'PORT'],
  [`http://${hostname()}:8080/`, { HOST: '0.0.0.0', PORT: '8080' }, 'PORT'],
  ['http://10.1.2.3/hook', { HOST: '10.1.2.3', PORT: '80' }, 'PORT'],
  ['http://localhost:9100/metrics', { METRICS_PORT: '9100' }, 'METRICS_PORT'],
  ['http://localhost:54329/', {}, 'EMBEDDED_DATABASE_PORT'],
])("post no alarm to this server's own address %s", (ALARM_WEBHOOK_URL, env, setting) => {
  const ALARM_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const set = { DESK_KEY: 'd'.repeat(16), ALARM_WEBHOOK_SECRET, ALARM_WEBHOOK_URL };
  expect(() => readConfig({ ...set, ...env })).toThrow(
    `ALARM_WEBHOOK_URL is this server's own ${setting}: give the address of a receiver`,
  );
});

test('post alarms to another program of this machine, and to the same port of another machine', () => {
  const ALARM_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const set = { DESK_KEY: 'd'.repeat(16), ALARM_WEBHOOK_SECRET, HOST: '0.0.0.0' };
  for (const url of [
    'http://127.0.0.1:3001/',
    'http://192.0.2.7:3000/',
    'https://localhost/',
    'http://chat:3000',
  ])
    expect(readConfig({ ...set, ALARM_WEBHOOK_URL: url }).alarmWebhook?.url).toBe(url);
});
