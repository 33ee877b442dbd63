import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { MINUTE_MS, minuteOf } from '../../desk/model/series/minute.ts';
import type { RecordProof } from '../../desk/model/log/record-proof.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { exportRecord } from '../../desk/tool/export.ts';
import { verifyRecord } from '../../desk/tool/verify.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { DESK_EVENT_PATH, type DeskClient, openDesk } from '../../testing/desk/desk-client.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { sha256 } from '../../desk/http/record-files.ts';
import { recordGeneratedMatch } from '../../testing/desk/match-in-record.ts';
import { startTestServer, untilReady } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const TEXTS = ['=HYPERLINK("http://x")', 'fila; =1+1, "dois"', '@João 🚪'];
const SECTORS = DEFAULT_VENUE.sectors.map(({ code }, index) => ({ code, valid: 500 + 100 * index }));
const OF_EVENT = ['--event', DEFAULT_EVENT_ID];
const HOUR_MS = 60 * MINUTE_MS;

const tool = useGatesTool();

/** A desk on a match that ended some hours ago, whose operator has a formula for a name. */
async function openMatch(): Promise<{
  readonly desk: DeskClient;
  readonly proof: () => Promise<RecordProof>;
}> {
  const kickOffMs = minuteOf(Date.now()) - 3 * HOUR_MS;
  await recordGeneratedMatch(tool.database, { eventId: DEFAULT_EVENT_ID, kickOffMs, sectors: SECTORS });
  const server = await startTestServer(tool.database, {
    DESK_KEY,
    RECORD_DATABASE_URL: tool.database.recordUrl,
  });
  await untilReady(server);
  const desk = await openDesk(server.url, { name: '=1+1', key: DESK_KEY });
  const proof = async (): Promise<RecordProof> =>
    (await (await desk.get(`${DESK_EVENT_PATH}/record`)).json()) as RecordProof;
  await until(async () => expect((await proof()).state.record.state).toEqual({ kind: 'writer' }));
  return { desk, proof };
}

test('the files of a desk hold what PostgreSQL holds, and are those of the gates tool, byte by byte', async () => {
  const { desk, proof } = await openMatch();
  for (const text of TEXTS) expect((await desk.command({ text })).status).toBe(200);
  const { minutes, log, state } = await proof();
  const read = async (path: string): Promise<string> =>
    (await desk.get(`${DESK_EVENT_PATH}/record/${path}`)).text();
  const [minutesCsv, logCsv] = await Promise.all([
    read(`minutes.csv?to=${minutes.to}`),
    read(`log.csv?to=${log.to}`),
  ]);
  expect([sha256(minutesCsv), sha256(logCsv)]).toEqual([minutes.sha256, log.sha256]);

  const { admin } = tool.database;
  const recorded = await admin`
    select event_id as event, source, import_id as import, sector,
      to_char(minute at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as minute, admitted::text, net::text,
      coalesce(entered::text, '') as entered, coalesce(reverted::text, '') as reverted,
      coalesce(moved::text, '') as moved, lots::text, valid::text
    from triagem.minutes where minute < to_timestamp(${minutes.to / 1_000})
    order by triagem.minutes.minute, sector collate "C"`;
  expect(recorded.length).toBe(14 * 192);
  expect(parse(minutesCsv, { columns: true })).toEqual([...recorded]);

  const rows = await admin<Record<string, unknown>[]>`
    select seq::text, id, kind, coalesce(by_name, '') as by, coalesce(sector, '') as sector, data, figures, previous
    from triagem.log where seq <= ${state.lastSeq} order by triagem.log.seq`;
  const told = parse<Record<string, string>>(logCsv, { columns: true });
  const jsonOf = (text: string | undefined): unknown => JSON.parse(text ?? '');
  expect(
    told.map(({ seq, id, kind, by = '', sector, data, figures, previous }) => {
      const figuresOfMoment = jsonOf(figures);
      return {
        seq,
        id,
        kind,
        by: by.replace(/^'/, ''),
        sector,
        data: jsonOf(data),
        figures: figuresOfMoment,
        previous,
      };
    }),
  ).toEqual([...rows]);
  expect(told.filter(({ kind }) => kind === 'occurrence').map(({ by }) => by)).toEqual(
    TEXTS.map(() => "'=1+1"),
  );
  expect(log.lastLink).toBe(told.at(-1)?.['sha256']);

  await tool.run(exportRecord, ...OF_EVENT);
  expect(tool.stdout.startsWith(minutesCsv)).toBe(true);
  const before = tool.stdout.length;
  await tool.run(exportRecord, ...OF_EVENT, '--log');
  expect(tool.stdout.slice(before).startsWith(logCsv)).toBe(true);
  expect(await tool.run(verifyRecord, ...OF_EVENT, '--link', `${log.to}:${log.lastLink}`)).toBe(0);
});
