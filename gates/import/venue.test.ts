import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_VENUE, sectorCodesOf } from '../../domain/venue.ts';
import { venueOf } from './venue.ts';

const BOARD = { eventId: 'b'.repeat(32), title: undefined };
const NONE = { boards: [], lastBoard: undefined };

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'triagem-venue-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const venue = (code: string): object => ({ name: 'X', sectors: [{ code, name: 'NORTE' }] });

test('the venue is that of VENUE_FILE, else of the board, else the product’s own', async () => {
  const path = join(folder, 'venue.json');
  writeFileSync(path, JSON.stringify(venue('F')));
  const target = { boards: [{ ...BOARD, venue: venue('B') }], lastBoard: undefined };
  expect(sectorCodesOf(await venueOf({ VENUE_FILE: path }, target))).toEqual(['F']);
  expect(sectorCodesOf(await venueOf({ VENUE_FILE: ' ' }, target))).toEqual(['B']);
  expect(
    sectorCodesOf(await venueOf({}, { boards: [], lastBoard: { ...BOARD, venue: venue('L') } })),
  ).toEqual(['L']);
  expect(await venueOf({}, { boards: [BOARD], lastBoard: undefined })).toEqual(DEFAULT_VENUE);
  expect(await venueOf({}, NONE)).toEqual(DEFAULT_VENUE);
});

test('a file that is none, or not there, is named with what is wrong', async () => {
  const path = join(folder, 'bad.json');
  writeFileSync(path, '{"name": "X",\n "sectors": []}');
  await expect(venueOf({ VENUE_FILE: path }, NONE)).rejects.toThrow(
    /VENUE_FILE \(.*bad\.json\) is no venue:\nline 2/,
  );
  await expect(venueOf({ VENUE_FILE: '/none' }, NONE)).rejects.toThrow(
    /VENUE_FILE \(\/none\) cannot be read: ENOENT/,
  );
});
