import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../http/record-files.ts';
import { chain, NO_FIGURES, occurrence } from '../../../testing/desk/log-rows.ts';
import type { LogRow } from './flow-log.ts';
import { chainedText, verifyChain } from './log-chain.ts';

const EVENT = 'e'.repeat(32);

function logOf(texts: readonly string[]): LogRow[] {
  return chain(
    EVENT,
    texts.map((text, index) => occurrence(`entry ${index}`, text, 1_795_000_000_000 + index)),
  );
}

const texts = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 20 });

test('a log as it was written holds, and its last link is the hash of its last row', () => {
  fc.assert(
    fc.property(texts, (written) => {
      const log = logOf(written);
      const last = log.at(-1) as LogRow;
      expect(verifyChain(EVENT, log, sha256)).toEqual({
        rows: written.length,
        lastHash: sha256(chainedText(EVENT, last)),
        broken: undefined,
      });
    }),
  );
});

test('a row that was changed, removed, repeated or moved before the last one shows, whichever it is', () => {
  const harms: ((log: LogRow[], at: number) => LogRow[])[] = [
    (log, at) => log.with(at, { ...(log[at] as LogRow), kind: 'occurrence', data: { text: 'another text' } }),
    (log, at) => log.with(at, { ...(log[at] as LogRow), atMs: 1 }),
    (log, at) => log.with(at, { ...(log[at] as LogRow), by: 'somebody' }),
    (log, at) => log.toSpliced(at, 1),
    (log, at) => log.toSpliced(at, 0, log[at] as LogRow),
    (log, at) => log.with(at, log[at + 1] as LogRow).with(at + 1, log[at] as LogRow),
  ];
  fc.assert(
    fc.property(texts, fc.nat(), fc.constantFrom(...harms), (written, place, harm) => {
      const log = logOf(written);
      const harmed = harm(log, place % (written.length - 1));
      expect(verifyChain(EVENT, harmed, sha256).broken).toBeDefined();
    }),
  );
});

test('a log that was written anew as a whole holds in itself, and not against a link that was kept', () => {
  const kept = { seq: 2, hash: sha256(chainedText(EVENT, logOf(['a', 'b', 'c'])[1] as LogRow)) };
  const anew = logOf(['a', 'x', 'c']);
  expect(verifyChain(EVENT, anew, sha256).broken).toBeUndefined();
  expect(verifyChain(EVENT, anew, sha256, kept).broken).toMatchObject({ seq: 2 });
  expect(verifyChain(EVENT, logOf(['a', 'b', 'other']), sha256, kept).broken).toBeUndefined();
  expect(verifyChain(EVENT, logOf(['a']), sha256, kept).broken).toEqual({ seq: 2, why: 'it is missing' });
});

test('rows of one event are none of another', () => {
  expect(verifyChain('f'.repeat(32), logOf(['a', 'b']), sha256).broken).toMatchObject({ seq: 2 });
});

test('the text does not hang on the order of keys, nor on what a database does to white space', () => {
  const figures = { ...NO_FIGURES, total: { admitted: 0, valid: 100, perMinute: 0.1 } };
  const [row] = chain(EVENT, [{ ...occurrence('entry 0', 'a'), by: null, figures }]) as [LogRow];
  const { total, sector } = figures;
  const { perMinute, valid, admitted } = total;
  const turned = { ...row, figures: { sector, total: { valid, perMinute, admitted } } };
  expect(chainedText(EVENT, turned)).toBe(chainedText(EVENT, row));
  expect(chainedText(EVENT, row)).toBe(
    `["${EVENT}",1,"entry 0",1795000000000,"live","occurrence",null,"7",{"text":"a"},` +
      `{"sector":null,"total":{"admitted":0,"perMinute":0.1,"valid":100}},""]`,
  );
});
