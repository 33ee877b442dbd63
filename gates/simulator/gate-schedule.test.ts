import { describe, expect, it } from 'vitest';
import { seededRandom } from './generated/random.ts';
import { type GateEvent, scheduleGateEvents } from './gate-schedule.ts';
import { parseIncident } from './incidents.ts';

describe('scheduleGateEvents', () => {
  const tickets = Array.from({ length: 40_000 }, (_, index) => ({
    isValid: index % 50 !== 0,
    row: String(index % 4),
  }));
  const events = scheduleGateEvents(tickets, seededRandom(7));
  const entries = events.filter(({ entrou }) => entrou);

  it('is in the order of time', () => {
    const later = events.slice(1);
    expect(later.filter(({ minute }, index) => minute < (events[index]?.minute ?? Infinity))).toEqual([]);
  });

  it('lets nobody in twice, and some stay away', () => {
    expect(new Set(entries.map(({ ticket }) => ticket)).size).toBe(entries.length);
    expect(entries.length / tickets.length).toBeGreaterThan(0.91);
    expect(entries.length / tickets.length).toBeLessThan(0.95);
  });

  it('has a few invalid tickets get in', () => {
    const invalid = entries.filter(({ ticket }) => tickets[ticket]?.isValid === false).length;
    expect(invalid).toBeGreaterThan(10);
    expect(invalid).toBeLessThan(100);
  });

  it('takes a few entries back, each after it was made', () => {
    const reverts = events.filter(({ entrou }) => !entrou);
    expect(reverts.length).toBeGreaterThan(50);
    expect(reverts.length).toBeLessThan(200);
    for (const revert of reverts) {
      const entry = entries.find(({ ticket }) => ticket === revert.ticket);
      expect(entry?.minute).toBeLessThan(revert.minute);
    }
  });

  it('makes the same schedule of the same random numbers', () => {
    const few = tickets.slice(0, 4_000);
    const scheduled = (seed: number): string => JSON.stringify(scheduleGateEvents(few, seededRandom(seed)));
    expect(scheduled(7) === scheduled(7)).toBe(true);
    expect(scheduled(7) === scheduled(8)).toBe(false);
  });

  describe('with an incident', () => {
    const fewer = tickets.slice(0, 8_000);
    const entriesOf = (row: string, from: number, to: number, ...incidents: string[]): GateEvent[] =>
      scheduleGateEvents(fewer, seededRandom(7), incidents.map(parseIncident)).filter(
        ({ ticket, entrou, minute }) => entrou && fewer[ticket]?.row === row && minute >= from && minute < to,
      );

    it('lets nobody into a stopped sector, and those whom it held at the pace of its gates afterwards', () => {
      const stop = 'stop:2@-35+20';
      expect(entriesOf('2', -35, -15, stop)).toEqual([]);
      expect(entriesOf('1', -35, -15, stop)).toEqual(entriesOf('1', -35, -15));
      expect(entriesOf('2', -35, -15).length).toBeGreaterThan(150);
      const afterwards = entriesOf('2', -15, -14, stop);
      expect(afterwards[0]?.minute).toBe(-15);
      // What passes in a minute, 2,000 ÷ 24.
      expect(afterwards.length).toBeLessThanOrEqual(84);
      expect(afterwards.length).toBeGreaterThan(75);
      expect(entriesOf('2', -120, 60, stop)).toHaveLength(entriesOf('2', -120, 60).length);
    });

    it('makes a lot of readings, each of its own ticket', () => {
      const lot = entriesOf('3', -20, -19, 'lot:3@-20x100').filter(({ isLateBatch }) => isLateBatch);
      expect(new Set(lot.map(({ ticket }) => ticket)).size).toBe(100);
      expect(new Set(lot.map(({ minute }) => minute))).toEqual(new Set([-20]));
      expect(entriesOf('3', -120, 60, 'lot:3@-20x100')).toHaveLength(entriesOf('3', -120, 60).length);
    });

    it('reads nobody any more where people enter unread', () => {
      expect(entriesOf('0', -15, 60, 'unread:0@-15')).toEqual([]);
      expect(entriesOf('0', -120, -15, 'unread:0@-15')).toEqual(entriesOf('0', -120, -15));
    });

    it('moves all where they are late', () => {
      expect(entriesOf('0', -120, 60, 'late:12').map(({ minute }) => minute)).toEqual(
        entriesOf('0', -120, 60).map(({ minute }) => minute + 12),
      );
    });
  });
});
