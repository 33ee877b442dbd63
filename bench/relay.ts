import { compareServers } from './support/compare-servers.ts';
import { startNats } from './support/nats.ts';
import { startLiveEdge, startLiveServer } from './support/server.ts';

/** What the way over NATS adds: a counter, a NATS server and an edge in the place of one process. */
export const relay = compareServers({
  name: 'relay',
  what: 'one process, and a counter and an edge with NATS between them: commit → client, frames of the edge',
  servers: ['all-in-one', 'edge'],
  prepare: async (run) => [startLiveServer, startLiveEdge((await startNats(run)).url)],
  areApart: true,
  difference: 'added by the two hops',
  targets: { p50Ms: { atMost: 1 }, p99Ms: { atMost: 5 }, frames: { atLeast: 0.95 } },
});
