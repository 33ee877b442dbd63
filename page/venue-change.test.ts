import { expect, test } from 'vitest';
import type { LiveMessage } from '../domain/live-message.ts';
import type { ShownVenue } from '../domain/shown-venue.ts';
import { INITIAL_STATE, type LiveEvent, reduce } from './live-state.ts';

const VENUE: ShownVenue = {
  venueId: 'abc',
  sectors: [{ code: '__proto__', name: 'NORTE', stand: 'NORTE' }],
  layout: { rows: '', style: '' },
};
const NOW = { monotonicMs: 0, wallMs: 1e12 };

function counts(position: string, norte = 5): LiveMessage {
  const data = { total: norte + 2, sectors: { '4': norte }, others: 2 };
  return { event: 'counts', id: `e:${position}`, sentAtMs: 1, data };
}

const play = (...events: LiveEvent[]) =>
  events.reduce((state, event) => reduce(state, event, NOW), INITIAL_STATE);

const SHOWN: LiveEvent[] = [
  { type: 'opened' },
  { type: 'received', messages: [counts('1.02'), { event: 'source', data: { live: true } }], sentAt: NOW },
];

test('a change of the venue drops displayed and held counts of its rows, and keeps the total', () => {
  const earlier: LiveEvent = { type: 'received', messages: [counts('1.01', 4)], sentAt: NOW };
  const before = play(...SHOWN, earlier);
  expect(before.connection.held).toBeDefined();
  const { venue, shown, connection } = reduce(before, { type: 'venue', venue: VENUE }, NOW);
  expect(venue).toBe(VENUE);
  expect(shown?.counts).toMatchObject({ total: 7, others: 0 });
  expect(Object.keys(shown?.counts.sectors ?? {})).toEqual([]);
  expect(shown?.counts.sectors['__proto__']).toBeUndefined();
  expect(connection).toEqual({ ...before.connection, held: undefined });
});

test('nothing is dropped when the venue is the same', () => {
  const before = play({ type: 'venue', venue: VENUE }, ...SHOWN);
  expect(reduce(before, { type: 'venue', venue: { ...VENUE } }, NOW)).toBe(before);
  const inDefault = play(...SHOWN);
  expect(reduce(inDefault, { type: 'venue', venue: undefined }, NOW)).toBe(inDefault);
});
