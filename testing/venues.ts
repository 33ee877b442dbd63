import fc from 'fast-check';
import type { Sector, Venue } from '../domain/venue.ts';

/** As ticketing systems write them, and as nobody should: what JavaScript has as names of its own, spaces, accents. */
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

/** Valid venues of 1 to 60 sectors, with one to many codes each; a row's own code may be none that tickets have. */
export const anyVenue: fc.Arbitrary<Venue> = fc
  .record({
    name: fc.constantFrom('Arena', 'Estádio do Povo', 'A'.repeat(80)),
    timeZone: fc.option(fc.constantFrom('America/Fortaleza', 'America/Manaus'), { nil: undefined }),
    codes: fc.uniqueArray(anyCode, { minLength: 1, maxLength: 150 }),
    ends: fc.uniqueArray(fc.integer({ min: 1, max: 150 }), { maxLength: 59 }),
    rows: fc.array(
      fc.record({
        stand: fc.constantFrom('NORTE', 'SUL', 'LESTE', 'OESTE'),
        hasOwnCode: fc.boolean(),
        capacity: fc.option(fc.nat(20_000), { nil: undefined }),
      }),
      { minLength: 60, maxLength: 60, size: 'max' },
    ),
  })
  .map(({ name, timeZone, codes, ends, rows }) => {
    const starts = [0, ...ends.filter((end) => end < codes.length).toSorted((a, b) => a - b)];
    const sectors = rows.slice(0, starts.length).map(({ stand, hasOwnCode, capacity }, index): Sector => {
      const own = codes.slice(starts[index], starts[index + 1]);
      const code = hasOwnCode ? `setor número ${index + 1}` : (own[0] ?? '');
      const name = `${stand} ${index + 1}`;
      return { code, name, stand, codes: own, ...(capacity !== undefined && { capacity }) };
    });
    return timeZone === undefined ? { name, sectors } : { name, timeZone, sectors };
  });
