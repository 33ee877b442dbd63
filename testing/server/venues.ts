import fc from 'fast-check';
import { join } from 'node:path';
import type { Sector, Venue } from '../../domain/venue.ts';
import { makeTestFolder } from '../folder.ts';

/** Codes of ticketing systems, and unusual ones: names of JavaScript, spaces, accents. */
export const anyCode: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 6, arbitrary: fc.nat(300).map(String) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 7 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('NORTE INF', '04', ' 4', '4 ', 'Útil', '__proto__', 'constructor'),
    },
  )
  .filter((code) => Buffer.byteLength(code) <= 32 && !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(code));

const anyRow = fc.record({
  stand: fc.constantFrom('NORTE', 'SUL', 'LESTE', 'OESTE'),
  hasOwnCode: fc.boolean(),
  ofSome: fc.record(
    {
      capacity: fc.nat(20_000),
      contact: fc.constantFrom('canal 4', 'canal 12 · (85) 99999-0212'),
      entriesPerHour: fc.integer({ min: 1, max: 20_000 }),
    },
    { requiredKeys: [] },
  ),
});

/** Valid venues of 1 to 60 sectors, with one to many codes each; a row's own code may be none that tickets have. */
export const anyVenue: fc.Arbitrary<Venue> = fc
  .record({
    name: fc.constantFrom('Arena', 'Estádio do Povo', 'A'.repeat(80)),
    timeZone: fc.option(fc.constantFrom('America/Fortaleza', 'America/Manaus'), { nil: undefined }),
    wallText: fc.option(fc.constantFrom('Siga as saídas indicadas', 'a'.repeat(80)), { nil: undefined }),
    codes: fc.uniqueArray(anyCode, { minLength: 1, maxLength: 150 }),
    ends: fc.uniqueArray(fc.integer({ min: 1, max: 150 }), { maxLength: 59 }),
    rows: fc.array(anyRow, { minLength: 60, maxLength: 60, size: 'max' }),
  })
  .map(({ name, timeZone, wallText, codes, ends, rows }) => {
    const starts = [0, ...ends.filter((end) => end < codes.length).toSorted((a, b) => a - b)];
    const sectors = rows
      .slice(0, starts.length)
      .map((row, index) => sectorOf(index, codes.slice(starts[index], starts[index + 1]), row));
    const evacuation = wallText === undefined ? {} : { evacuation: { wallText } };
    return Object.assign(timeZone === undefined ? { name } : { name, timeZone }, evacuation, { sectors });
  });

function sectorOf(
  index: number,
  codes: readonly string[],
  { stand, hasOwnCode, ofSome }: { stand: string; hasOwnCode: boolean; ofSome: Partial<Sector> },
): Sector {
  const code = hasOwnCode ? `setor número ${index + 1}` : (codes[0] ?? '');
  return { code, name: `${stand} ${index + 1}`, stand, codes, ...ofSome };
}

/** Returns a venue of `count` sectors with two codes each, all as long as codes may be. */
export function venueOf(count: number): Venue {
  const longest = (text: string): string => text.padEnd(32, '-');
  const sectors = Array.from({ length: count }, (_, index): Sector => {
    const stand = ['NORTE', 'LESTE', 'OESTE', 'SUL'][Math.floor((4 * index) / count)] ?? '';
    const code = longest(`${stand} ${index + 1} `);
    const codes = [code, longest(`${stand} ${index + 1} B `)];
    return { code, name: `${stand} SUPERIOR SETOR ${index + 1}`, stand, codes, capacity: 500 + 10 * index };
  });
  return { name: 'Arena de Teste', timeZone: 'America/Fortaleza', sectors };
}

/** Puts it into a file of its own, gone with the test. Text is written as it is. */
export function writeVenueFile(venue: unknown): string {
  const text = typeof venue === 'string' ? venue : JSON.stringify(venue, undefined, 2);
  return join(makeTestFolder({ 'venue.json': text }), 'venue.json');
}
