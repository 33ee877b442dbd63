import { expect, test } from 'vitest';
import { setEntered } from '../../../testing/database/database.ts';
import { startEdge, startFleetBoard, untilFollowing } from '../../../testing/fleet/fleet.ts';
import { prepareNginxOfEdges } from '../../../testing/server/nginx.ts';
import { openScreen, type Screen } from '../../../testing/browser/screen.ts';
import type { ServerProcess } from '../../../testing/server/server.ts';
import { unhinderedNow, until } from '../../../testing/until.ts';

/** Behind deploy/nginx-edges.conf, which gives up what does not begin to answer within a second. */

const SCREENS = 800;
/** All of them stand on two cores with their edges, counters and nginx. */
const LIVE_WITHIN_MS = 10_000;
const LIMIT_MS = 60_000;

const portOf = ({ url }: ServerProcess): number => Number(new URL(url).port);

test(
  `${SCREENS} screens whose edge, and then whose nginx, is killed come back at once: those of the other edge stay live`,
  async () => {
    const env = { TRUST_PROXY: '127.0.0.1', MAX_VIEWERS_PER_ADDRESS: String(4 * SCREENS) };
    const board = await startFleetBoard({ edgeEnv: env });
    const other = await startEdge(board.nats, { env: { NODE_NAME: 'e2', ...env } });
    await untilFollowing(other, 'c1', 'c2');
    const nginx = await prepareNginxOfEdges([portOf(board.edge), portOf(other)]);
    await nginx.start();
    const certificate = nginx.certificate.pem;
    const screens = Array.from({ length: SCREENS }, () => openScreen(nginx.url, { certificate }));
    const areLive = (): void => expect(screens.filter(({ live }) => !live)).toEqual([]);
    await until(areLive, LIMIT_MS);

    const recover = async (lose: () => Promise<unknown>): Promise<{ tookMs: number; noticed: number }> => {
      const [lostAtMs, lostUnhinderedMs] = [performance.now(), unhinderedNow()];
      await lose();
      const noticed = (): Screen[] =>
        screens.filter(({ displayed }) => displayed.some(({ atMs, live }) => !live && atMs > lostAtMs));
      await until(() => expect(noticed()).not.toEqual([]), LIMIT_MS);
      await until(areLive, LIMIT_MS);
      return { tookMs: unhinderedNow() - lostUnhinderedMs, noticed: noticed().length };
    };
    const ofEdge = await recover(() => other.end('SIGKILL'));
    await startEdge(board.nats, { port: portOf(other), env: { NODE_NAME: 'e2', ...env } });
    const ofNginx = await recover(async () => {
      await nginx.kill();
      await nginx.start();
    });
    console.info('all live again after', ofEdge, ofNginx);
    // Nobody who was served is cut off because others come.
    expect(ofEdge.noticed).toBeLessThan(0.6 * SCREENS);
    expect(ofEdge.tookMs).toBeLessThan(LIVE_WITHIN_MS);

    await setEntered(board.database.gates, 't0', true);
    await until(() => expect(screens.every(({ board: { shown } }) => shown?.counts.total === 1)).toBe(true));
  },
  6 * LIMIT_MS,
);
