import { connect, type NatsConnection } from '@nats-io/transport-node';
import { beforeAll, describe, expect, test } from 'vitest';
import { MAX_DOCUMENTS_BYTES } from '../../domain/event-state.ts';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { setEntered } from '../../testing/database/database.ts';
import { repetitions } from '../../testing/durations.ts';
import { type FleetBoard, readyz, startFleetBoard } from '../../testing/fleet/fleet.ts';
import { freePort } from '../../testing/server/free-port.ts';
import { readMetrics } from '../../testing/server/metrics.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { recount } from '../../testing/database/oracle.ts';
import { until } from '../../testing/until.ts';

/** The attacker may publish on every subject, as where NATS has no passwords. */
const board: FleetBoard = openForAll(async () => {
  const metricsPort = await freePort();
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  return startFleetBoard({ counters: ['c1'], edgeEnv: { METRICS_PORT: String(metricsPort) } });
});
let metricsUrl: string;
let nats: NatsConnection;
/** The last state that the counter published. */
let published: Record<string, unknown>;
let entered = 0;

beforeAll(async () => {
  nats = await connect({ servers: board.nats.servers[0].url, noEcho: true });
  closeOnce(() => nats.close());
  nats.subscribe(subjectOf(), { callback: (_error, message) => void (published = message.json()) });
  await until(() => expect(published).toBeDefined());
});

function subjectOf({ counter = 'c1', eventId = DEFAULT_EVENT_ID, part = 'counts' } = {}): string {
  return `triagem.main.state.${counter}.${eventId}.${part}`;
}

function publish(subject: string, content: unknown): void {
  nats.publish(
    subject,
    typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
  );
}

/** The edge continues undisturbed: its next number is right and live, and nothing wrong was displayed. */
async function expectUnhurt(): Promise<void> {
  await nats.flush();
  const id = `t${entered}`;
  entered += 1;
  await board.oracle.write(1, () => setEntered(board.database.gates, id, true));
  await until(async () => {
    expect(board.screen.board.shown?.counts).toEqual(await recount(board.database.admin));
    expect(board.screen.live).toBe(true);
    expect((await readyz(board.edge)).code).toBe(200);
  });
  expect(board.oracle.violationsOf(board.screen.displayed)).toEqual([]);
}

const [LARGE, MANY] = [repetitions(200, 60), repetitions(10_000, 2_000)];

describe('an edge is not hurt by a state that is', () => {
  const newer = (): Record<string, unknown> => ({
    ...published,
    position: `${String(published['position']).slice(0, -8)}FFFFFFFF`,
  });

  test('old, repeated or reordered', async () => {
    const received = [published];
    for (let n = 0; n < 5; n += 1) {
      await expectUnhurt();
      await until(() => expect(published['position']).not.toBe(received.at(-1)?.['position']));
      received.push(published);
    }
    for (const state of [...received.toReversed(), ...received, ...received]) publish(subjectOf(), state);
    await expectUnhurt();
  });

  test('cut off, malformed, or a megabyte long', async () => {
    const text = JSON.stringify(newer());
    for (let length = 0; length < text.length; length += 7) publish(subjectOf(), text.slice(0, length));
    for (const content of ['null', '[]', '{"wire":1}', '{"__proto__":{"wire":1}}', '\u0000'])
      publish(subjectOf(), content);
    publish(subjectOf(), Buffer.alloc(1_000_000, 0x5b));
    publish(subjectOf(), { ...newer(), counted: [9, 9, 9, [], [0, 0, 0]] });
    publish(subjectOf(), { ...newer(), epoch: 'x\ndata: {}' });
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    publish(subjectOf({ part: 'documents' }), `{"wire":1,"documents":[{"code":"4","data":${deep}}]}`);
    await expectUnhurt();
  });

  test('of another event, counter, slice or deployment than its subject', async () => {
    publish(subjectOf(), { ...newer(), event: 'f'.repeat(32) });
    publish(subjectOf({ counter: 'c2' }), newer());
    publish(subjectOf({ part: 'documents' }), newer());
    publish(subjectOf({ part: 'unknown' }), newer());
    publish(subjectOf().replace('main', 'other'), newer());
    await expectUnhurt();
  });

  test('of a newer wire: the log has the order of the upgrade', async () => {
    publish(subjectOf({ counter: 'c9' }), { ...newer(), counter: 'c9', wire: 2 });
    await expectUnhurt();
    const reasons = board.edge.logged.map(({ reason }) => String(reason));
    expect(reasons).toContainEqual(
      expect.stringMatching(/wire version 2.*upgrade the edges first, then the counters/),
    );
  });

  test('of another database system, as long as a counter of the displayed one is live', async () => {
    const [, place] = String(published['position']).split('.');
    publish(subjectOf({ counter: 'c9' }), {
      ...published,
      counter: 'c9',
      position: `1.${place}`,
      counted: [0, 0, 0, [], [0, 0, 0]],
    });
    await expectUnhurt();
  });

  test(`as large as may be, ${LARGE} times, or ${MANY} times`, async () => {
    const before = board.edge.usage.memoryMb();
    const documents = [{ code: '4', data: 'x'.repeat(MAX_DOCUMENTS_BYTES) }];
    for (let n = 0; n < LARGE; n += 1) {
      const content = {
        wire: 1,
        counter: `x${n % 30}`,
        run: 'r',
        event: DEFAULT_EVENT_ID,
        part: 'documents',
      };
      publish(subjectOf(content), { ...content, documents });
      if (n % 5 === 0) await nats.flush();
    }
    for (let n = 0; n < MANY; n += 1) {
      publish(subjectOf({ counter: `y${n}` }), '{"wire":1}');
      if (n % 200 === 0) await nats.flush();
    }
    await expectUnhurt();
    expect(board.edge.usage.memoryMb() - before).toBeLessThan(250);
  });
});

test('counts of two counters that differ at one position are reported in log and metrics, and the first stay', async () => {
  const [tickets, admitted, valid, ...rest] = published['counted'] as [
    number,
    number,
    number,
    [string, ...number[]][],
    unknown,
  ];
  const counted = [tickets, admitted + 1, valid, raise(rest[0]), rest[1]];
  const conflicts = async (): Promise<number | undefined> =>
    (await readMetrics(metricsUrl))['triagem_relay_conflicts_total'];
  const before = await conflicts();
  const wrong = { ...published, counter: 'c7', run: 'other', counted };
  publish(subjectOf({ counter: 'c7' }), wrong);
  await until(() => {
    const message = expect.stringMatching(/two counters count differently at one position/) as string;
    expect(board.edge.logged).toContainEqual(expect.objectContaining({ counter: 'c7', msg: message }));
  });
  expect([before, await conflicts()]).toEqual([0, 1]);
  await expectUnhurt();
});

/** Adds an admission to the first code that has tickets. */
function raise(codes: readonly [string, ...number[]][]): unknown[] {
  const at = codes.findIndex(([, tickets]) => (tickets ?? 0) > 0);
  return codes.map(([code, tickets = 0, admitted = 0, valid = 0], n) => [
    code,
    tickets,
    admitted + (n === at ? 1 : 0),
    valid,
  ]);
}
