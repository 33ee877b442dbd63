import { expect, test, vi } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { chainedText } from '../model/log/log-chain.ts';
import { chain, occurrence, sha256 } from '../../testing/desk/log-rows.ts';
import { createSmallDesk } from '../../testing/desk/small-desk.ts';
import { LogFileHash } from './log-file-hash.ts';
import { type Batches, logCsv } from './record-files.ts';
import { SlicedWork } from './sliced-work.ts';

const rowsOf = (count: number, text?: string) =>
  chain(
    DEFAULT_EVENT_ID,
    Array.from({ length: count }, (_, index) => occurrence(`id ${index}`, text)),
  );

async function textOf(batches: Batches): Promise<string> {
  let text = '';
  for await (const lines of batches) text += [...lines].join('');
  return text;
}

/** A desk with such a log, the hash of its file, and how many rows were read for it so far. */
function open(count: number) {
  const desk = createSmallDesk(DEFAULT_EVENT_ID);
  desk.rows.push(...rowsOf(count));
  let rowsRead = 0;
  const read = (after: number, limit = desk.rows.length) => desk.rows.slice(after, after + limit);
  vi.spyOn(desk, 'log').mockImplementation((after, limit) => {
    const rows = read(after, limit);
    rowsRead += rows.length;
    return rows;
  });
  const log = new LogFileHash(desk, new SlicedWork());
  const expected = async (seq: number) => {
    const last = desk.rows[seq - 1];
    return {
      lines: seq,
      sha256: sha256(await textOf(logCsv({ ...desk, log: read }, seq))),
      lastLink: last ? sha256(chainedText(DEFAULT_EVENT_ID, last)) : null,
    };
  };
  return { desk, log, expected, rowsRead: () => rowsRead };
}

test('a file that has grown is hashed from where it ended', async () => {
  const { desk, log, expected, rowsRead } = open(200);
  expect(await log.upTo(200)).toEqual(await expected(200));
  desk.rows.push(...rowsOf(203).slice(200));
  const before = rowsRead();
  expect(await log.upTo(203)).toEqual(await expected(203));
  // The last one of those before, and those that are new.
  expect(rowsRead() - before).toBeLessThan(10);
});

test('those who ask at the same time have the rows read once', async () => {
  const { log, expected, rowsRead } = open(200);
  const hashes = await Promise.all([log.upTo(199), log.upTo(200), log.upTo(200)]);
  expect(hashes).toEqual([await expected(199), await expected(200), await expected(200)]);
  expect(rowsRead()).toBeLessThan(210);
});

test('a log that another one has taken the place of is hashed anew', async () => {
  const { desk, log, expected } = open(5);
  await log.upTo(5);
  desk.rows.splice(0, 5, ...rowsOf(6, 'outro texto'));
  expect(await log.upTo(6)).toEqual(await expected(6));
});

test('a shorter one, too, and one without a row', async () => {
  const { log, expected } = open(5);
  await log.upTo(5);
  expect(await log.upTo(3)).toEqual(await expected(3));
  expect(await log.upTo(0)).toEqual(await expected(0));
});
