import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { DESK_EVENT_PATH, openDesk, openDeskStream } from '../../testing/desk/desk-client.ts';
import { startCounter, startEdge, startFleetBoard, untilFollowing } from '../../testing/fleet/fleet.ts';
import { buildCommit, findFormerCommit } from '../../testing/browser/former-build.ts';
import { startNats } from '../../testing/fleet/nats-server.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { openScreen } from '../../testing/browser/screen.ts';
import { until } from '../../testing/until.ts';

/** Before the last change of what counters and edges say to each other. */
const formerCommit = findFormerCommit(['fleet/relay']);
const former = openForAll(() => ({ script: formerCommit === undefined ? '' : buildCommit(formerCommit) }));

describe.skipIf(formerCommit === undefined)('with the former build', () => {
  test('counters and edges of the former build are replaced one by one, edges first, and back: screens stay exact and never go back', async () => {
    const { script } = former;
    const board = await startFleetBoard({ script });
    const { nats, database, counters, edge } = board;
    const other = await startEdge(nats, { script, env: { NODE_NAME: 'e2' } });
    await untilFollowing(other, 'c1', 'c2');
    const screens = [board.screen, openScreen(other.url)];
    board.startWriting();

    const edges = [edge, other];
    const replaceEdge = async (index: number, start: { script?: string }): Promise<void> => {
      const { url } = edges[index] ?? edge;
      await edges[index]?.stop();
      const options = { ...start, port: Number(new URL(url).port), env: { NODE_NAME: `e${index + 1}` } };
      edges[index] = await startEdge(nats, options);
      await untilExact();
    };
    const replaceCounter = async (name: string, start: { script?: string }): Promise<void> => {
      await counters[name]?.stop();
      counters[name] = await startCounter(nats, database.observerUrl, { ...start, env: { NODE_NAME: name } });
      for (const one of edges) await untilFollowing(one, 'c1', 'c2');
      await untilExact();
    };
    /** Live, by what is written meanwhile. */
    const untilExact = async (): Promise<void> => {
      const totals = screens.map(({ total }) => total ?? 0);
      await until(() => {
        for (const [index, { live, total }] of screens.entries())
          expect([live, (total ?? 0) > (totals[index] ?? 0) + 20]).toEqual([true, true]);
      });
    };

    for (const start of [{}, { script }]) {
      await replaceEdge(0, start);
      await replaceEdge(1, start);
      await replaceCounter('c1', start);
      await replaceCounter('c2', start);
    }
    board.server = edges[0] ?? edge;
    await board.expectExact(15_000, screens);
  });

  test.each(['the former build at the edge', 'the former build at the counter'])(
    'a desk is told and writes into the record, with %s',
    async (where) => {
      const isAtEdge = where.endsWith('edge');
      const [nats, database] = await Promise.all([startNats(), createTestDatabase({ inside: { a: '4' } })]);
      const { script } = former;
      await startCounter(nats, database.observerUrl, {
        ...(!isAtEdge && { script }),
        env: { NODE_NAME: 'c1', RECORD_DATABASE_URL: database.recordUrl },
      });
      const edge = await startEdge(nats, { ...(isAtEdge && { script }), env: { NODE_NAME: 'e1', DESK_KEY } });
      await untilFollowing(edge, 'c1');
      const desk = await openDesk(edge.url, { name: 'Ana', key: DESK_KEY });
      const stream = await openDeskStream(edge.url, desk.cookie);
      await until(() =>
        expect(stream.state).toMatchObject({ total: { admitted: 1 }, record: { state: { kind: 'writer' } } }),
      );
      expect((await desk.command({ text: 'fila no portão 4', sector: '4' })).status).toBe(200);
      expect(await (await desk.get(`${DESK_EVENT_PATH}/record/log.csv`)).text()).toContain(
        'fila no portão 4',
      );
    },
  );
});
