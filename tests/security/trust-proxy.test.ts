import { expect, test } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { ConfigError } from '../../server/config-error.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { postSignIn } from '../../testing/browser/page-client.ts';
import { EMAIL } from '../../testing/server/server.ts';
import { startTestServer, type TestServer } from '../../testing/server/test-server.ts';

const database = openForAll(createTestDatabase);

/** How many of these guesses, each with its own headers, are refused for being too many. */
async function refusedOf({ url }: TestServer, forwardedFor: (guess: number) => string): Promise<number> {
  let refused = 0;
  for (let guess = 0; guess < 14; guess += 1) {
    const account = { email: EMAIL, key: 'wrong' };
    const { status } = await postSignIn(url, account, { 'x-forwarded-for': forwardedFor(guess) });
    if (status === 429) refused += 1;
  }
  return refused;
}

async function cookieOverTls({ url }: TestServer): Promise<string | null> {
  return (await postSignIn(url, undefined, { 'x-forwarded-proto': 'https' })).headers.get('set-cookie');
}

test.each([undefined, 'false', '10.9.8.7', 'uniquelocal'])(
  'with TRUST_PROXY=%s, what a stranger forwards is not believed',
  async (value) => {
    const server = await startTestServer(database, value === undefined ? {} : { TRUST_PROXY: value });
    expect(await refusedOf(server, (guess) => `203.0.113.${guess}`)).toBe(4);
    expect(await cookieOverTls(server)).not.toMatch(/Secure/);
  },
);

test.each(['127.0.0.1', 'loopback', '127.0.0.0/8, 10.0.0.0/8', 'true'])(
  'with TRUST_PROXY=%s, viewers behind the proxy are told apart, and cannot choose their address',
  async (value) => {
    const server = await startTestServer(database, { TRUST_PROXY: value });
    expect(await refusedOf(server, (guess) => `203.0.113.${guess}`)).toBe(0);
    // What a viewer wrote itself stands before what the proxy saw.
    expect(await refusedOf(server, (guess) => `198.51.100.${guess}, 203.0.113.77`)).toBe(4);
    expect(await cookieOverTls(server)).toMatch(/Secure/);
  },
);

const NO_NETWORKS = ['10.0.0.0/33', '10.0.0.0/0', '::/129', '127.0.0.1,', '10.0.0.1/8/8'];

test.each(['1', '2', 'yes', 'proxy.example', ...NO_NETWORKS, '*'])(
  'TRUST_PROXY=%s is refused at the start',
  (TRUST_PROXY) => {
    expect(() => readConfig({ TRUST_PROXY })).toThrow(ConfigError);
    expect(() => readConfig({ TRUST_PROXY })).toThrow(/TRUST_PROXY is .*give the proxy's addresses/);
  },
);

test('it is off unless it is set', () => {
  expect(readConfig({}).trustProxy).toBe(false);
});
