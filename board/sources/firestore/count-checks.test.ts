import { expect, test } from 'vitest';
import { CountChecks } from './count-checks.ts';
import { FIRESTORE_LIMITS } from './limits.ts';
import { TicketBatch, TicketMemory } from './ticket-memory.ts';

function openChecks(limits: Partial<typeof FIRESTORE_LIMITS> = {}) {
  const memory = new TicketMemory('jogo-1');
  const tickets = new TicketBatch(true);
  const ticket = { isValidTicket: true, entrou: true, setor: '4', isMalformed: false };
  memory.addTo(tickets, 'a', ticket, 1);
  memory.addTo(tickets, 'b', { ...ticket, setor: '9' }, 1);
  memory.addTo(tickets, 'c', { ...ticket, entrou: false, isValidTicket: false }, 1);
  memory.apply({ readTimeUs: 1, resumeToken: undefined, tickets });
  const checks = new CountChecks(['4', '9'], { ...FIRESTORE_LIMITS, ...limits });
  const next = () => checks.next(memory);
  return { checks, next };
}

test('after each beginning all totals are compared, then one sector after the other', () => {
  const { checks, next } = openChecks({ sectorCheckEveryMs: 0 });
  const seen = () => {
    const check = next();
    return check && [check.of, check.ours];
  };
  expect([seen(), seen(), seen()]).toEqual([
    ['the tickets that have entered', 2],
    ['the valid tickets', 2],
    ['the tickets', 3],
  ]);
  const sectors = ['4', '9', '4'].map((code) => [`the tickets of sector ${code} that have entered`, 1]);
  expect([seen(), seen(), seen()]).toEqual(sectors);
  checks.restart();
  expect(seen()).toEqual(['the tickets that have entered', 2]);
});

test('nothing is compared before it is due', () => {
  const { next } = openChecks();
  for (let n = 0; n < 3; n += 1) next();
  expect(next()).toBeUndefined();
});

test('a difference is a doubt until all were read again and the same count is equal', () => {
  const { checks, next } = openChecks();
  const check = next();
  if (!check) throw new Error('nothing is compared');
  expect(checks.take(check, check.ours)).toBe(false);
  expect(checks.doubt).toBeUndefined();
  expect(checks.take(check, 7)).toBe(true);
  expect(checks.doubt).toBe(
    'Firestore counts 7 of the tickets that have entered, where its stream brought 2: all tickets are read again',
  );
  expect(next()).toBeUndefined();
  checks.haveReadAgain();
  expect(checks.doubt).toMatch(/ 2: all tickets were read again, and are counted once more$/);
  expect(next()).toEqual(check);
  expect(checks.take(check, check.ours)).toBe(false);
  expect(checks.doubt).toBeUndefined();
});

test('all are read again once for a difference, however long that takes; on another stream once more', () => {
  const { checks, next } = openChecks({ differenceCheckEveryMs: 0 });
  const check = next();
  if (!check) throw new Error('nothing is compared');
  expect([checks.take(check, 7), checks.take(check, 7), checks.take(check, 8)]).toEqual([true, false, false]);
  checks.restart();
  expect([checks.take(check, 8), checks.take(check, 8)]).toEqual([true, false]);
  checks.haveReadAgain();
  expect(checks.take(check, 8)).toBe(false);
});

test('a difference that stays is one until it is gone, names the sector, and nothing is read again for it', () => {
  const { checks, next } = openChecks({ sectorCheckEveryMs: 0, differenceCheckEveryMs: 0 });
  for (let n = 0; n < 3; n += 1) next();
  const check = next();
  if (!check) throw new Error('nothing is compared');
  expect(checks.take(check, 7)).toBe(true);
  checks.haveReadAgain();
  expect([checks.take(check, 7), checks.take(check, 8)]).toEqual([false, false]);
  expect(checks.doubt).toMatch(
    /^Firestore counts 8 of the tickets of sector 4 .* also after all were read again: /,
  );
  // It is checked repeatedly, before anything else.
  expect([next(), next()]).toEqual([check, check]);
  expect(checks.take(check, check.ours)).toBe(false);
  expect(checks.doubt).toBeUndefined();
  expect(next()).toMatchObject({ of: 'the tickets of sector 9 that have entered' });
});
