import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CountsSlice } from '../../domain/event-state.ts';
import { formatPosition, isEarlier, systemOf } from '../../domain/log-position.ts';
import { CountsChoice, isSame } from './counts-choice.ts';

const EVENT_ID = 'e'.repeat(32);
const NONE = { tickets: 0, admitted: 0, valid: 0 };
const everybodyLive = (): boolean => true;

/** The counts of a correct counter: the admissions follow from the position. */
function stateAt(place: number, { system = '7', timeline = 1, off = 0 } = {}): CountsSlice {
  const counted = { tickets: 10_000, admitted: place * 10 + timeline + off, valid: 9_000 };
  return {
    kind: 'counts',
    eventId: EVENT_ID,
    epoch: 'any',
    version: 0,
    position: formatPosition(system, timeline, BigInt(place)),
    ...counted,
    codes: [{ code: '4', ...counted }],
    rest: NONE,
  };
}

/** What several counters of one log published, in any order, some of it never, some of it twice. */
const deliveries = fc
  .array(fc.record({ place: fc.nat({ max: 40 }), timeline: fc.integer({ min: 1, max: 3 }) }), {
    maxLength: 60,
  })
  .chain((sent) => fc.shuffledSubarray([...sent, ...sent]));

describe('of several counters', () => {
  test('invariant 6: whatever is lost, repeated or reordered, the latest is current, and never an earlier one', () => {
    fc.assert(
      fc.property(deliveries, (received) => {
        const choice = new CountsChoice();
        let latest: string | undefined;
        for (const { place, timeline } of received) {
          const before = choice.current?.position;
          const offered = stateAt(place, { timeline });
          const outcome = choice.offer(offered, everybodyLive);
          if (latest === undefined || isEarlier(latest, offered.position)) latest = offered.position;
          expect(choice.current?.position).toBe(latest);
          expect(outcome).not.toBe('conflict');
          expect(isEarlier(choice.current?.position ?? '', before ?? '')).toBe(false);
          expect(choice.current?.admitted).toBe(
            Number(stateOf(latest).place) * 10 + stateOf(latest).timeline,
          );
        }
      }),
    );
  });

  test('a higher timeline retires the lower ones, wherever their logs stand', () => {
    const choice = new CountsChoice();
    expect(choice.offer(stateAt(30), everybodyLive)).toBe('later');
    expect(choice.offer(stateAt(20, { timeline: 2 }), everybodyLive)).toBe('later');
    expect(choice.offer(stateAt(35), everybodyLive)).toBe('earlier');
    expect(choice.current).toMatchObject({ position: stateAt(20, { timeline: 2 }).position, admitted: 202 });
  });

  test('the epoch names the database system, whichever counter published', () => {
    const [one, other] = [new CountsChoice(), new CountsChoice()];
    one.offer({ ...stateAt(1), epoch: 'aaa' }, everybodyLive);
    const { epoch } = one.current ?? {};
    one.offer({ ...stateAt(2), epoch: 'bbb' }, everybodyLive);
    other.offer(stateAt(5), everybodyLive);
    expect([one.current?.epoch, other.current?.epoch]).toEqual([epoch, epoch]);
    other.offer(stateAt(1, { system: '8' }), (system) => system === '8');
    expect(other.current?.epoch).not.toBe(epoch);
  });

  test('another database system is followed only once no counter of the current one is live, and one of the other is', () => {
    const step = fc.record({
      place: fc.nat({ max: 9 }),
      system: fc.constantFrom('7', '8'),
      live: fc.subarray(['7', '8']),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const choice = new CountsChoice();
        for (const { place, system, live } of steps) {
          const before = choice.current;
          const outcome = choice.offer(stateAt(place, { system }), (one) => live.includes(one));
          const currentSystem = before && systemOf(before.position);
          if (currentSystem === undefined || currentSystem === system) continue;
          const mayChange = !live.includes(currentSystem) && live.includes(system);
          expect(outcome).toBe(mayChange ? 'later' : 'foreign');
          expect(choice.current === before).toBe(!mayChange);
        }
      }),
    );
  });

  test('other counts at the same position are a conflict, and do not become current', () => {
    const choice = new CountsChoice();
    choice.offer(stateAt(5), everybodyLive);
    expect(choice.offer(stateAt(5), everybodyLive)).toBe('same');
    expect(choice.offer(stateAt(5, { off: 1 }), everybodyLive)).toBe('conflict');
    expect(choice.current?.admitted).toBe(stateAt(5).admitted);
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
