import { parse } from 'csv-parse/sync';
import { beforeAll, expect, test } from 'vitest';
import type { LogRow } from '../model/log/flow-log.ts';
import { chainedText, verifyChain } from '../model/log/log-chain.ts';
import type { RecordProof } from '../model/log/record-proof.ts';
import { DESK_KEY, startDeskApp } from '../../testing/desk/desk-app.ts';
import { DESK_EVENT_PATH, openDesk } from '../../testing/desk/desk-client.ts';
import { sha256 } from './record-files.ts';
import { chain, occurrence } from '../../testing/desk/log-rows.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { minuteOf } from '../../testing/desk/small-desk.ts';

const TEXTS = ['=cmd|"calc"!A1', 'fila; =1+1, "dois"', 'Zé 🚪 ok'];

const app = openForAll(async () => {
  const started = await startDeskApp();
  return { ...started, ana: await openDesk(started.url, { name: '@Ana', key: DESK_KEY }) };
});

beforeAll(async () => {
  const { desk } = app;
  for (const index of [0, 1, 3]) desk.closeMinute(minuteOf(index, [index + 1, 0, 7]));
  const entries = TEXTS.map((text, index) => ({ ...occurrence(`id ${index}`, text), by: '@Ana' }));
  desk.rows.push(...chain(desk.eventId, entries));
});

async function read(path: string): Promise<Response> {
  const response = await app.ana.get(`${DESK_EVENT_PATH}/record${path}`);
  expect([path, response.status]).toEqual([path, 200]);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return response;
}

const rowsOf = (text: string): Record<string, string>[] => parse(text, { columns: true });

test('the minutes are a CSV that names event and day, a line each minute and sector', async () => {
  const response = await read('/minutes.csv');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename="triagem-${app.desk.eventId}-2026-09-21-minutes.csv"`,
  );
  const text = await response.text();
  expect(text.endsWith('\r\n')).toBe(true);
  const rows = rowsOf(text);
  expect(rows.map(({ sector, admitted }) => `${sector}:${admitted}`)).toEqual(
    [1, 2, 4].flatMap((count) => [':7', `4:${count}`, '5:0']),
  );
  expect(rows[0]).toEqual({
    event: app.desk.eventId,
    source: 'live',
    import: '',
    sector: '',
    minute: new Date(minuteOf(0, []).minuteMs).toISOString().replace('.000', ''),
    admitted: '7',
    net: '7',
    entered: '7',
    reverted: '0',
    moved: '',
    lots: '0',
    valid: '1000',
  });
});

test('the log is a CSV whose texts come back unchanged, whose chain holds, and that runs nobody a formula', async () => {
  const response = await read('/log.csv');
  expect(response.headers.get('content-disposition')).toMatch(/-log\.csv"$/);
  const text = await response.text();
  const rows = rowsOf(text);
  expect(rows.map(({ data = '' }) => (JSON.parse(data) as { text: string }).text)).toEqual(TEXTS);
  expect(rows.map(({ by }) => by)).toEqual(TEXTS.map(() => "'@Ana"));
  // As a spreadsheet reads it that parts cells at semicolons, too.
  for (const line of text.split('\r\n'))
    for (const cell of line.split(/[,;]/)) expect(cell).not.toMatch(/^"?[=+@\t]/);
  const log = rows.map((row) => ({
    seq: Number(row['seq']),
    id: row['id'],
    atMs: Date.parse(row['at'] ?? ''),
    source: row['source'],
    kind: row['kind'],
    by: row['by']?.slice(1),
    sector: row['sector'],
    data: JSON.parse(row['data'] ?? '') as unknown,
    figures: JSON.parse(row['figures'] ?? '') as unknown,
    previous: row['previous'],
  })) as LogRow[];
  const { broken, lastHash } = verifyChain(app.desk.eventId, log, sha256);
  expect(broken).toBeUndefined();
  expect(rows.at(-1)?.['sha256']).toBe(lastHash);
});

test('for a spreadsheet there are the same two, in the time of the event, with names beside codes, and no formula', async () => {
  const minutes = await read('/minutes-excel.csv');
  expect(minutes.headers.get('content-disposition')).toBe(
    `attachment; filename="triagem-${app.desk.eventId}-2026-09-21-minutos.csv"`,
  );
  // The response's text() takes the mark off.
  const bytes = Buffer.from(await minutes.arrayBuffer());
  expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
  const [header, ...lines] = bytes.toString().slice(1).split('\r\n');
  expect(header).toMatch(/^Minuto;Código;Setor;Acessos até o fim do minuto;/);
  expect(lines.slice(0, 3)).toEqual(
    ['4;NORTE;1;1;1', '5;OESTE INFERIOR CENTRAL;0;0;0', ';fora destes setores;7;7;7'].map(
      (row) => `21/09/2026 11:14;${row};0;;0;1000;ao vivo;${app.desk.eventId}`,
    ),
  );
  expect(lines.at(-1)).toBe('');

  const log = await read('/log-excel.csv');
  expect(log.headers.get('content-disposition')).toMatch(/-registro\.csv"$/);
  const text = await log.text();
  const rows: Record<string, string>[] = parse(text, { columns: true, delimiter: ';', bom: true });
  expect(rows.map((row) => [row['O quê'], row['Detalhe'], row['Quem'], row['Setor']])).toEqual(
    [`'=cmd|"calc"!A1`, `fila;' =1+1, "dois"`, 'Zé 🚪 ok'].map((said) => [
      'ocorrência',
      said,
      "'@Ana",
      'SUL DORIL',
    ]),
  );
  expect(rows[0]?.['Por minuto no estádio']).toBe('412,5');
  expect(rows[0]?.['Data e hora']).toMatch(/^\d\d\/\d\d\/2026 \d\d:\d\d:\d\d$/);
  for (const line of text.split('\r\n'))
    for (const cell of line.split(/[,;]/)) expect(cell).not.toMatch(/^"?\s*[=+@\t]/);
});

test('what is printed names the hashes of both files, which stay what they were up to there', async () => {
  const proof = (await (await read('')).json()) as RecordProof;
  const last = app.desk.rows.at(-1) as LogRow;
  expect(proof).toMatchObject({
    source: 'live',
    state: { eventId: app.desk.eventId, lastSeq: 3 },
    minutes: { to: minuteOf(4, []).minuteMs, lines: 9 },
    log: { to: 3, lines: 3, lastLink: sha256(chainedText(app.desk.eventId, last)) },
  });
  app.desk.closeMinute(minuteOf(4, [9, 9, 9]));
  app.desk.rows.push({ ...last, seq: 4, id: 'later', previous: proof.log.lastLink ?? '' });
  for (const file of ['minutes', 'log'] as const) {
    const text = await (await read(`/${file}.csv?to=${proof[file].to}`)).text();
    expect([file, sha256(text)]).toEqual([file, proof[file].sha256]);
    const whole = await (await read(`/${file}.csv`)).text();
    expect(whole.startsWith(text)).toBe(true);
    expect(rowsOf(whole).length).toBeGreaterThan(proof[file].lines);
  }
});

test.each(['/minutes.csv?to=x', '/log.csv?to=-1', '/log-excel.csv?to=-1'])('%s is refused', async (path) => {
  const response = await app.ana.get(`${DESK_EVENT_PATH}/record${path}`);
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ field: 'to' });
});

test('an event of which nothing is known yet has empty files', async () => {
  const { url } = await startDeskApp();
  const bruno = await openDesk(url, { name: 'Bruno', key: DESK_KEY });
  const proof = (await (await bruno.get(`${DESK_EVENT_PATH}/record`)).json()) as RecordProof;
  expect(proof).toMatchObject({ minutes: { to: 0, lines: 0 }, log: { to: 0, lines: 0, lastLink: null } });
  expect(rowsOf(await (await bruno.get(`${DESK_EVENT_PATH}/record/log.csv`)).text())).toEqual([]);
});

test('a log of more than 20,000 rows is exported up to a row that is named', async () => {
  const { url, desk } = await startDeskApp();
  const bruno = await openDesk(url, { name: 'Bruno', key: DESK_KEY });
  const entry = { ...occurrence('one'), previous: '' };
  desk.rows.push(...Array.from({ length: 20_001 }, (_, index) => ({ ...entry, seq: index + 1 })));
  for (const path of ['', '/log.csv', '/log-excel.csv', '/log.csv?to=20001']) {
    const response = await bruno.get(`${DESK_EVENT_PATH}/record${path}`);
    expect([path, response.status]).toEqual([path, 422]);
    expect(await response.json()).toMatchObject({ field: 'to' });
  }
  const text = await (await bruno.get(`${DESK_EVENT_PATH}/record/log.csv?to=5000`)).text();
  expect(rowsOf(text)).toHaveLength(5_000);
});

test('a session may request twelve files in a minute', async () => {
  const { url } = await startDeskApp();
  const bruno = await openDesk(url, { name: 'Bruno', key: DESK_KEY });
  const statuses: number[] = [];
  for (let index = 0; index < 13; index += 1)
    statuses.push((await bruno.get(`${DESK_EVENT_PATH}/record/log.csv`)).status);
  expect(statuses).toEqual([...Array<number>(12).fill(200), 429]);
});
