import { expect, test } from 'vitest';
import type { LiveMessage } from '../../domain/live-message.ts';
import type { ShownVenue } from '../../domain/shown-venue.ts';
import { INITIAL_STATE, type LiveEvent, reduce } from './live-state.ts';

const VENUE: ShownVenue = {
  venueId: 'abc',
  sectors: [{ code: '__proto__', name: 'NORTE', stand: 'NORTE' }],
  layout: { rows: '', style: '' },
};
const NOW = { monotonicMs: 0, wallMs: 1e12 };

function counts(position: string): LiveMessage {
  const data = { total: 7, sectors: { '4': 5 }, others: 2 };
  return { event: 'counts', id: `e:${position}`, sentAtMs: 1, data };
}

const play = (...events: LiveEvent[]) =>
  events.reduce((state, event) => reduce(state, event, NOW), INITIAL_STATE);

const SHOWN: LiveEvent[] = [
  { type: 'opened' },
  { type: 'received', messages: [counts('1.02'), { event: 'source', data: { live: true } }] },
];

test('counts of the rows before are dropped when the venue changes, shown and held ones, and the total stays', () => {
  const earlier: LiveEvent = { type: 'received', messages: [counts('1.01')] };
  const { venue, shown, connection } = play(...SHOWN, earlier, { type: 'venue', venue: VENUE });
  expect(venue).toBe(VENUE);
  expect(shown?.counts).toMatchObject({ total: 7, others: 0 });
  expect(Object.keys(shown?.counts.sectors ?? {})).toEqual([]);
  expect(shown?.counts.sectors['__proto__']).toBeUndefined();
  expect(connection.held).toBeUndefined();
});

test('nothing is dropped when the venue is the same', () => {
  const before = play({ type: 'venue', venue: VENUE }, ...SHOWN);
  expect(reduce(before, { type: 'venue', venue: { ...VENUE } }, NOW)).toBe(before);
  const inDefault = play(...SHOWN);
  expect(reduce(inDefault, { type: 'venue', venue: undefined }, NOW)).toBe(inDefault);
});
