import { relative } from 'node:path';
import { PROJECT_ROOT } from '../testing/project-root.ts';
import type { Benchmark } from './benchmark.ts';
import { commitOf } from './report/machine.ts';
import { pages } from './pages.ts';
import { compareServers } from './support/compare-servers.ts';
import { startLiveServer } from './support/server.ts';

/** Of a checkout that is built. */
export const BUILT_SERVER = 'build/server/start.js';

/** The board of this build beside that of another checkout, as of a former commit: its server, and its page. */
export async function builds(former: string): Promise<readonly Benchmark[]> {
  const script = `${relative(PROJECT_ROOT, former)}/${BUILT_SERVER}`;
  const commit = await commitOf(former);
  const startFormer: typeof startLiveServer = (scope, observerUrl, options) =>
    startLiveServer(scope, observerUrl, { ...options, script });
  const servers = compareServers({
    name: 'builds',
    what: `this build beside that of commit ${commit}: commit → client, processor time, frames`,
    servers: ['former', 'this'],
    prepare: async () => [startFormer, startLiveServer],
    difference: 'this less former',
    targets: {
      p50Ms: { atMost: 0.1 },
      serverMs: { atMost: 1.03 },
      frames: { atLeast: 0.97 },
    },
  });
  const itself = compareServers({
    name: 'builds-itself',
    what: `the build of commit ${commit} beside itself: what "builds" says of two builds that are the same`,
    servers: ['former', 'again'],
    prepare: async () => [startFormer, startFormer],
    difference: 'again less former',
    targets: {},
  });
  return [servers, itself, pages({ start: startFormer, commit })];
}
