import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { verifyChain } from '../../domain/flow/log-chain.ts';
import { freePort } from '../../testing/free-port.ts';
import { speedUp } from '../../server/flow/flow-clock.ts';
import { createTestDatabase } from '../../testing/database.ts';
import { DESK_KEY } from '../../testing/desk-app.ts';
import { type DeskClient, openDesk } from '../../testing/desk-client.ts';
import { IS_FULL } from '../../testing/durations.ts';
import { readLogRows, sha256 } from '../../testing/log-rows.ts';
import { writeAtRandom } from '../../testing/random-changes.ts';
import { startServerProcess } from '../../testing/test-server.ts';
import { keepTicketHistory } from '../../testing/ticket-history.ts';
import { until } from '../../testing/until.ts';
import { type Away, expectRecounted, readRecordedMinutes } from '../flow/expect-recounted.ts';

const KILLS = IS_FULL ? 60 : 6;
/** A minute of the flow is half a second. */
const SPEED = 120;
const LONGEST_RUN_MS = 6_000;
/** Before a kill: what was told since the last look at the clock, and might still have been about to be written. */
const UNWATCHED_BEFORE_MS = 4_000;
/** Each may send a command a second. */
const DESKS = 8;

test(
  `killed with SIGKILL ${KILLS} times at random instants: minutes and gaps as SQL recounts them, no answered command lost, none twice`,
  { timeout: KILLS * 15_000 + 120_000 },
  async () => {
    const database = await createTestDatabase();
    const { admin } = database;
    const history = await keepTicketHistory(database);
    const clock = { sinceMs: Date.now(), speed: SPEED };
    const flowClock = speedUp(clock.sinceMs, SPEED);
    const port = await freePort();
    const start = () =>
      startServerProcess(database.observerUrl, {
        port,
        script: 'testing/sped-up-server.mjs',
        env: {
          DESK_KEY,
          RECORD_DATABASE_URL: database.recordUrl,
          FLOW_SPEED: String(SPEED),
          FLOW_SINCE_MS: String(clock.sinceMs),
        },
      });
    let server = await start();
    await server.serves('/readyz');

    const stopping = new AbortController();
    const gates = Array.from({ length: 3 }, async () => {
      while (!stopping.signal.aborted) await writeAtRandom(database, 100, { pauseMs: 10 });
    });
    const answered = new Map<string, Answer>();
    const operators = await Promise.all(
      Array.from({ length: DESKS }, (_, n) => openDesk(server.url, { name: `Mesa ${n}`, key: DESK_KEY })),
    );
    const commanding = operators.map((desk) => sendCommands(desk, answered, stopping.signal));

    const away: Away[] = [];
    for (let kills = 0; kills < KILLS; kills += 1) {
      await pause(Math.random() * LONGEST_RUN_MS);
      const fromMs = flowClock(Date.now() - UNWATCHED_BEFORE_MS);
      await server.end('SIGKILL');
      server = await start();
      await server.serves('/readyz');
      away.push({ fromMs, toMs: flowClock(Date.now()) });
    }
    await pause(LONGEST_RUN_MS);
    stopping.abort();
    const sent = new Set((await Promise.all(commanding)).flat());
    await Promise.all(gates);
    const endMs = flowClock(Date.now());
    await until(
      async () => expect((await readRecordedMinutes(admin)).at(-1)?.minuteMs).toBeGreaterThan(endMs),
      30_000,
    );

    const { compared, missing } = await expectRecounted(admin, history, away, clock);
    expect(compared).toBeGreaterThan(KILLS);
    expect(missing).toBeGreaterThan(0);
    const log = await readLogRows(admin);
    const rowOf = new Map(log.map((row) => [row.id, row]));
    expect(rowOf.size).toBe(log.length);
    expect(answered.size).toBeGreaterThan(2 * KILLS);
    const lost = [...answered].filter(([id, { seq }]) => rowOf.get(id)?.seq !== seq);
    expect(lost).toEqual([]);
    // What nobody was told of is there as it was sent, or not at all.
    const occurrences = log.filter((row) => row.kind === 'occurrence');
    expect(occurrences.filter(({ id, data }) => !sent.has(id) || data.text !== textOf(id))).toEqual([]);
    expect(verifyChain(DEFAULT_EVENT_ID, log, sha256)).toMatchObject({ rows: log.length, broken: undefined });
  },
);

interface Answer {
  readonly seq: number;
}

/** Occurrences, one after the other; what is not answered with success is sent again. Returns all ids. */
async function sendCommands(
  desk: DeskClient,
  answered: Map<string, Answer>,
  stopping: AbortSignal,
): Promise<string[]> {
  const ids: string[] = [];
  while (!stopping.aborted) {
    const id = crypto.randomUUID();
    ids.push(id);
    while (!stopping.aborted && !answered.has(id)) {
      const answer = await desk
        .command({ id, text: textOf(id), sector: null })
        .then(async (response) => ({ status: response.status, body: (await response.json()) as Answer }))
        // The server was killed, or does not listen yet.
        .catch(() => ({ status: 0, body: undefined }));
      expect([0, 200, 429, 503]).toContain(answer.status);
      if (answer.body && answer.status === 200) answered.set(id, answer.body);
      await pause(Math.random() * 400);
    }
  }
  return ids;
}

function textOf(id: string): string {
  return `Ocorrência ${id.slice(0, 8)}`;
}
