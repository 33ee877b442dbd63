import { expect, test } from 'vitest';
import { createTestDatabase } from '../../testing/database.ts';
import { startCounter, startEdge } from '../../testing/fleet.ts';
import type { ServerProcess } from '../../testing/server.ts';
import { until } from '../../testing/until.ts';

/** TEST-NET-1 (RFC 5737): nobody answers there. */
const FAR = { url: 'nats://192.0.2.1:4222' };

const ROLES: Readonly<Record<string, () => Promise<ServerProcess>>> = {
  counter: async () => startCounter(FAR, (await createTestDatabase()).observerUrl),
  edge: () => startEdge(FAR),
};

test.each(Object.keys(ROLES))(
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
