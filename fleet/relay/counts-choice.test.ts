import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CountsPart } from '../../domain/event-state.ts';
import { formatPosition, isEarlier, systemOf } from '../../domain/log-position.ts';
import { CountsChoice, isSame } from './counts-choice.ts';

const EVENT_ID = 'e'.repeat(32);
const NONE = { tickets: 0, admitted: 0, valid: 0 };
const everybodyLive = (): boolean => true;

/** All that a right counter can say of a place: the admissions follow from it. */
function stateAt(place: number, { system = '7', timeline = 1, off = 0 } = {}): CountsPart {
  const counted = { tickets: 10_000, admitted: place * 10 + timeline + off, valid: 9_000 };
  return {
    part: 'counts',
    eventId: EVENT_ID,
    epoch: 'any',
    version: 0,
    position: formatPosition(system, timeline, BigInt(place)),
    ...counted,
    codes: [{ code: '4', ...counted }],
    rest: NONE,
  };
}

/** What n counters of one log said, in any order, some of it never, some of it twice. */
const deliveries = fc
  .array(fc.record({ place: fc.nat({ max: 40 }), timeline: fc.integer({ min: 1, max: 3 }) }), {
    maxLength: 60,
  })
  .chain((said) => fc.shuffledSubarray([...said, ...said]));

describe('of several counters', () => {
  test('invariant 6: whatever is lost, repeated or reordered, the latest is shown, and never an earlier one', () => {
    fc.assert(
      fc.property(deliveries, (heard) => {
        const choice = new CountsChoice();
        let latest: string | undefined;
        for (const { place, timeline } of heard) {
          const before = choice.shown?.position;
          const offered = stateAt(place, { timeline });
          const outcome = choice.offer(offered, everybodyLive);
          if (latest === undefined || isEarlier(latest, offered.position)) latest = offered.position;
          expect(choice.shown?.position).toBe(latest);
          expect(outcome).not.toBe('conflict');
          expect(isEarlier(choice.shown?.position ?? '', before ?? '')).toBe(false);
          expect(choice.shown?.admitted).toBe(Number(stateOf(latest).place) * 10 + stateOf(latest).timeline);
        }
      }),
    );
  });

  test('a higher timeline retires the lower ones, wherever their logs stand', () => {
    const choice = new CountsChoice();
    expect(choice.offer(stateAt(30), everybodyLive)).toBe('later');
    expect(choice.offer(stateAt(20, { timeline: 2 }), everybodyLive)).toBe('later');
    expect(choice.offer(stateAt(35), everybodyLive)).toBe('earlier');
    expect(choice.shown).toMatchObject({ position: stateAt(20, { timeline: 2 }).position, admitted: 202 });
  });

  test('losing one changes nothing of what names the state: the epoch is that of the database system', () => {
    const [one, other] = [new CountsChoice(), new CountsChoice()];
    one.offer({ ...stateAt(1), epoch: 'aaa' }, everybodyLive);
    const { epoch } = one.shown ?? {};
    one.offer({ ...stateAt(2), epoch: 'bbb' }, everybodyLive);
    other.offer(stateAt(5), everybodyLive);
    expect([one.shown?.epoch, other.shown?.epoch]).toEqual([epoch, epoch]);
    other.offer(stateAt(1, { system: '8' }), (system) => system === '8');
    expect(other.shown?.epoch).not.toBe(epoch);
  });

  test('another database system is followed only once none of the shown one is live, and it is', () => {
    const step = fc.record({
      place: fc.nat({ max: 9 }),
      system: fc.constantFrom('7', '8'),
      live: fc.subarray(['7', '8']),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const choice = new CountsChoice();
        for (const { place, system, live } of steps) {
          const before = choice.shown;
          const outcome = choice.offer(stateAt(place, { system }), (one) => live.includes(one));
          const shownSystem = before && systemOf(before.position);
          if (shownSystem === undefined || shownSystem === system) continue;
          const mayChange = !live.includes(shownSystem) && live.includes(system);
          expect(outcome).toBe(mayChange ? 'later' : 'foreign');
          expect(choice.shown === before).toBe(!mayChange);
        }
      }),
    );
  });

  test('one that counts otherwise at the very same position is a conflict, and is not shown', () => {
    const choice = new CountsChoice();
    choice.offer(stateAt(5), everybodyLive);
    expect(choice.offer(stateAt(5), everybodyLive)).toBe('same');
    expect(choice.offer(stateAt(5, { off: 1 }), everybodyLive)).toBe('conflict');
    expect(choice.shown?.admitted).toBe(stateAt(5).admitted);
    expect(choice.offer(stateAt(6), everybodyLive)).toBe('later');
  });
});

describe('the same counts', () => {
  const code = (name: string, tickets: number) => ({ code: name, tickets, admitted: 0, valid: 0 });
  const counts = (codes: ReturnType<typeof code>[], rest = 0) => ({
    tickets: 5,
    admitted: 0,
    valid: 0,
    codes,
    rest: { ...NONE, tickets: rest },
  });

  test('have their codes in any order, and need not name those without a ticket', () => {
    const one = counts([code('4', 2), code('6', 3), code('11', 0)]);
    expect(isSame(one, counts([code('6', 3), code('4', 2)]))).toBe(true);
    expect(isSame(one, counts([code('6', 2), code('4', 3)]))).toBe(false);
    expect(isSame(one, counts([code('6', 3), code('x', 2)]))).toBe(false);
  });

  test('beyond the codes that are kept apart, are the same in total', () => {
    expect(isSame(counts([code('4', 2)], 3), counts([code('6', 2)], 3))).toBe(true);
    expect(isSame(counts([code('4', 2)], 3), { ...counts([code('6', 3)], 3), tickets: 6 })).toBe(false);
  });
});

function stateOf(position: string): { timeline: number; place: bigint } {
  const hex = position.split('.')[1] ?? '';
  return { timeline: Number.parseInt(hex.slice(0, 8), 16), place: BigInt(`0x${hex.slice(8)}`) };
}
