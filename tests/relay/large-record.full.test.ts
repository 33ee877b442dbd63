import postgres from 'postgres';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { LogRow } from '../../desk/model/log/flow-log.ts';
import { chainedText } from '../../desk/model/log/log-chain.ts';
import type { RecordProof } from '../../desk/model/log/record-proof.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { DESK_EVENT_PATH, openDesk, openDeskStream } from '../../testing/desk/desk-client.ts';
import { startCounter, startEdge, untilFollowing } from '../../testing/fleet/fleet.ts';
import { sha256 } from '../../desk/http/record-files.ts';
import { chain, occurrence } from '../../testing/desk/log-rows.ts';
import { startNats } from '../../testing/fleet/nats-server.ts';
import { until, untilGiven } from '../../testing/until.ts';

/** Nearly the longest log that a desk exports. Four exports at once take more questions than a counter answers one edge at once. */
const ROWS = 19_000;
/** As long as an operator's may be. */
const TEXT = 'fila no portão 7 '.repeat(30).slice(0, 500);
const ROWS_AT_ONCE = 5_000;

/** By the role that may only add. */
async function addRows(recordUrl: string, rows: readonly LogRow[]): Promise<void> {
  const sql = postgres(recordUrl, { max: 1, onnotice: () => {} });
  closeOnce(() => sql.end());
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE) as unknown as postgres.JSONValue;
    await sql`
      insert into triagem.log (event_id, seq, id, at, source, by_name, sector, kind, data, figures, previous)
      select ${DEFAULT_EVENT_ID}, seq, id, to_timestamp("atMs" / 1000.0), source, by, sector, kind, data, figures, previous
      from jsonb_to_recordset(${sql.json(some)}) as row (seq bigint, id text, "atMs" bigint, source text, by text,
        sector text, kind text, data jsonb, figures jsonb, previous text)`;
  }
}

test('exports of a large log at an edge are whole, however many at once, and its desks go on meanwhile', async () => {
  const [nats, database] = await Promise.all([startNats(), createTestDatabase({ inside: { a: '4' } })]);
  const entries = Array.from({ length: ROWS }, (_, index) => occurrence(`entry ${index + 1}`, TEXT));
  const rows = chain(DEFAULT_EVENT_ID, entries);
  await addRows(database.recordUrl, rows);
  await startCounter(nats, database.observerUrl, {
    env: { NODE_NAME: 'c1', RECORD_DATABASE_URL: database.recordUrl },
  });
  const edge = await startEdge(nats, { env: { NODE_NAME: 'e1', DESK_KEY } });
  await untilFollowing(edge, 'c1');
  const ana = await openDesk(edge.url, { name: 'Ana', key: DESK_KEY });
  // Until its counter has read the log, there is no desk.
  const stream = await untilGiven(() => openDeskStream(edge.url, ana.cookie), 120_000);
  await until(() => expect(stream.state?.record.state).toEqual({ kind: 'writer' }), 120_000);
  await until(() => expect(stream.state?.lastSeq).toBeGreaterThan(ROWS));

  const read = async (path: string): Promise<string> => {
    const response = await ana.get(`${DESK_EVENT_PATH}/record${path}`);
    const text = await response.text();
    expect([response.status, text.slice(0, 300)]).toEqual([200, expect.anything()]);
    return text;
  };
  const reading = Promise.all([read(''), ...Array.from({ length: 3 }, () => read(`/log.csv?to=${ROWS}`))]);
  expect((await ana.command({ text: 'chuva' })).status).toBe(200);
  const [proof, ...files] = await reading;
  for (const file of files) {
    const lines = file.split('\r\n');
    // The header before them, and what follows the last end of a line.
    expect(lines).toHaveLength(ROWS + 2);
    const last = rows.at(-1) as LogRow;
    expect(lines.at(-2)).toMatch(new RegExp(`,${sha256(chainedText(DEFAULT_EVENT_ID, last))}$`));
    expect(file).toBe(files[0]);
  }
  const { log } = JSON.parse(proof) as RecordProof;
  expect(log.sha256).toBe(sha256(await read(`/log.csv?to=${log.to}`)));
  expect(stream.state?.source).toEqual({ live: true });
}, 600_000);
