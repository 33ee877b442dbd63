import { expect, test } from 'vitest';
import { createTestDatabase } from '../../testing/database/database.ts';
import { IS_FULL } from '../../testing/durations.ts';
import { readyz, startCounter, startEdge } from '../../testing/fleet/fleet.ts';
import { type NatsUser, startNats } from '../../testing/fleet/nats-server.ts';
import type { ServerProcess } from '../../testing/server/server.ts';
import { until } from '../../testing/until.ts';

/** TEST-NET-1 (RFC 5737): nobody answers there. */
const FAR = { url: 'nats://192.0.2.1:4222' };

const ROLES: Readonly<Record<string, () => Promise<ServerProcess>>> = {
  counter: async () => startCounter(FAR, (await createTestDatabase()).observerUrl),
  edge: () => startEdge(FAR),
};

test.each(IS_FULL ? Object.keys(ROLES) : ['edge'])(
  'a %s that reaches NATS across a network without TLS and without a password says so when it starts',
  async (role) => {
    const started = await ROLES[role]?.();
    await until(() => {
      const warned = started?.logged.flatMap(({ level, msg }) => (level === 40 ? [String(msg)] : []));
      expect(warned).toContainEqual(expect.stringContaining('192.0.2.1:4222 is reached WITHOUT TLS'));
      expect(warned).toContainEqual(expect.stringContaining('192.0.2.1:4222 is used WITHOUT A PASSWORD'));
    });
  },
);

test('a counter that has the rights of an edge is not ready, and says what to correct', async () => {
  const nats = await startNats({ asDeployed: true });
  const { observerUrl } = await createTestDatabase({ inside: { a: '4' } });
  const env = (user: NatsUser) => ({ ...nats.settingsOf(user), NODE_NAME: 'counter-1' });
  const counter = await startCounter(nats, observerUrl, { env: env('edge-1') });
  await until(async () => {
    expect(await readyz(counter)).toMatchObject({
      code: 503,
      waitingFor: expect.stringMatching(
        /^NATS refuses .* triagem\.main\..*: correct NATS_USER and NODE_NAME, or/,
      ),
    });
  });
  const other = await startCounter(nats, observerUrl, { env: env('counter-1') });
  await other.serves('/readyz');
});
