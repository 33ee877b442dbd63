import { expect, test } from 'vitest';
import { sha256 } from '../../http/record-files.ts';
import { NO_FIGURES, occurrence } from '../../../testing/desk/log-rows.ts';
import { chainedText } from './log-chain.ts';
import { LOG_HEADER, logLines, MINUTES_HEADER, minuteLines } from './record-csv.ts';

const EVENT = 'e'.repeat(32);
const MINUTE_MS = Date.UTC(2026, 4, 3, 18, 31);

test('a minute is one line for each sector, in the order of their codes, with empty cells for what is not known', () => {
  const known = { admitted: 120, net: 7, entered: 9, reverted: 3, moved: 1, valid: 400, lots: 2 };
  const unknown = { ...known, entered: null, reverted: null, moved: null };
  const sectors = [known, unknown, known];
  const lines = minuteLines(
    { minuteMs: MINUTE_MS, sectors },
    { eventId: EVENT, source: 'live', codes: ['7', '4'] },
  );
  expect(MINUTES_HEADER).toBe(
    'event,source,import,sector,minute,admitted,net,entered,reverted,moved,lots,valid\r\n',
  );
  expect(lines).toEqual([
    `${EVENT},live,,,2026-05-03T18:31:00Z,120,7,9,3,1,2,400\r\n`,
    `${EVENT},live,,4,2026-05-03T18:31:00Z,120,7,,,,2,400\r\n`,
    `${EVENT},live,,7,2026-05-03T18:31:00Z,120,7,9,3,1,2,400\r\n`,
  ]);
});

test('each row of the log is a line with its own hash, and no cell of JSON holds a semicolon', () => {
  const atMs = Date.UTC(2026, 4, 3, 18, 31, 5, 250);
  const rowOf = (seq: number, previous: string) =>
    Object.assign(occurrence(`id ${seq}`, 'fila; "grande"', atMs), { figures: NO_FIGURES, seq, previous });
  const rows = [rowOf(1, ''), rowOf(2, 'p'.repeat(64))] as const;
  expect(LOG_HEADER).toBe('event,seq,id,at,source,kind,by,sector,data,figures,previous,sha256\r\n');
  const [first = '', second = '', ...more] = logLines(EVENT, rows, sha256);
  expect(more).toEqual([]);
  expect(first.startsWith(`${EVENT},1,id 1,2026-05-03T18:31:05.250Z,${rows[0].source},occurrence,`)).toBe(
    true,
  );
  expect(first).toContain(String.raw`"{""text"":""fila\u003b \""grande\""""}"`);
  expect(first.replace(EVENT, '')).not.toContain(';');
  expect(first.endsWith(`,,${sha256(chainedText(EVENT, rows[0]))}\r\n`)).toBe(true);
  expect(second).toContain(`,2,id 2,`);
  expect(second.endsWith(`,${'p'.repeat(64)},${sha256(chainedText(EVENT, rows[1]))}\r\n`)).toBe(true);
});
