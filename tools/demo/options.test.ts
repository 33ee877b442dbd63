import { expect, test } from 'vitest';
import { DEFAULT_VENUE, type Venue } from '../../domain/venue.ts';
import { CommandLineEnd } from '../../server/command-line.ts';
import { incidentsAt, readOptions } from './options.ts';

const refusal = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof CommandLineEnd) return `${error.exitCode} ${error.message}`;
  }
  throw new Error('it was not refused');
};
const incidentsOf = (venue: Venue, ...args: string[]): readonly string[] =>
  incidentsAt(venue, readOptions(args));

test('two things go wrong by default, where most people come', () => {
  expect(incidentsOf(DEFAULT_VENUE)).toEqual(['stop:7@-35+6', 'slow:4@-26+9x0.3']);
  const field = { name: 'Campo', sectors: DEFAULT_VENUE.sectors.slice(0, 1) };
  expect(incidentsOf(field)).toEqual(['stop:6@-35+6', 'slow:6@-26+9x0.3']);
});

test('what is asked for goes wrong instead, or nothing', () => {
  expect(incidentsOf(DEFAULT_VENUE, '--incident', 'late:12', '--incident', 'unread:8@-15')).toEqual([
    'late:12',
    'unread:8@-15',
  ]);
  expect(incidentsOf(DEFAULT_VENUE, '--no-incidents')).toEqual([]);
});

test('tickets are in Firestore where that is asked for, as many as are', () => {
  const ticketsOf = (...args: string[]) => readOptions(args).firestoreTickets;
  expect(ticketsOf()).toBeUndefined();
  expect(ticketsOf('--firestore')).toBe(5_000);
  expect(ticketsOf('--firestore', '--tickets', '300')).toBe(300);
  expect(refusal(() => readOptions(['--tickets', '300']))).toMatch(/^2 --tickets goes with --firestore/);
  expect(refusal(() => readOptions(['--firestore', '--tickets', '0']))).toMatch(/^2 --tickets is "0"/);
});

test('what cannot be is refused, with the way to the help', () => {
  expect(refusal(() => readOptions(['--speed', 'fast']))).toMatch(/^2 --speed is "fast".* --help\.$/);
  expect(refusal(() => readOptions(['--no-incidents', '--incident', 'late:1']))).toMatch(/^2 --no-incidents/);
  expect(refusal(() => incidentsOf(DEFAULT_VENUE, '--incident', 'stop:10@-35+6'))).toMatch(
    /^2 --incident names the sector "10", .* --help\.$/,
  );
  expect(refusal(() => incidentsOf(DEFAULT_VENUE, '--incident', 'stop'))).toMatch(/lot:9@-20x400/);
  expect(refusal(() => readOptions(['--help']))).toMatch(/^0 Usage: npm run demo/);
});
