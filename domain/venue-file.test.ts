import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyVenue } from '../testing/server/venues.ts';
import { JsonFileError } from './json-file.ts';
import { DEFAULT_VENUE } from './venue.ts';
import { readVenue } from './venue-file.ts';

/** A venue of sectors that differ from a sound one as told. */
function venueWith(...sectors: Record<string, unknown>[]): string {
  return JSON.stringify({ name: 'Arena', sectors });
}

const NORTE = { code: '4', name: 'NORTE' };

function faultsOf(text: string): readonly string[] {
  try {
    readVenue(text);
  } catch (error) {
    if (error instanceof JsonFileError) return error.faults;
    throw error;
  }
  return [];
}

describe('a venue file', () => {
  test('is read unchanged', () => {
    fc.assert(
      fc.property(anyVenue, (venue) => {
        expect(readVenue(JSON.stringify(venue))).toEqual(venue);
      }),
    );
    expect(readVenue(JSON.stringify(DEFAULT_VENUE))).toEqual(DEFAULT_VENUE);
  });

  test('may leave out all of a sector but its code and name, and the time zone', () => {
    expect(readVenue(venueWith({ code: 'LS', name: 'Leste Superior' }))).toEqual({
      name: 'Arena',
      sectors: [{ code: 'LS', name: 'Leste Superior', stand: 'Leste', codes: ['LS'] }],
    });
  });

  test('may have codes without that of its row, which no ticket then has', () => {
    const [sector] = readVenue(venueWith({ ...NORTE, codes: ['4A', 'NORTE INF'] })).sectors;
    expect(sector?.codes).toEqual(['4A', 'NORTE INF']);
  });

  test('may begin with a byte order mark, and have any line ends', () => {
    const lines = JSON.stringify(DEFAULT_VENUE, undefined, 2).split('\n');
    expect(readVenue(`\uFEFF${lines.join('\r\n')}\r\n`)).toEqual(DEFAULT_VENUE);
  });

  test('is JSON exactly where JSON.parse says so', () => {
    const anyText = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', ',', '}', '"', '01', '//', '\t', '\u0000', '.', '-', 'nul'),
      )
      .map(([json, at, extra]) => {
        const cut = at % (json.length + 1);
        return json.slice(0, cut) + extra + json.slice(cut);
      });
    fc.assert(
      fc.property(anyText, (text) => {
        const isSaidToBeNone = faultsOf(text).some((fault) => fault.includes('it is not JSON'));
        expect(isSaidToBeNone).toBe(!isJson(text));
      }),
      { numRuns: 1_000 },
    );
  });

  test('names every fault, each with its line', () => {
    const text = `{
  "name": "${'A'.repeat(81)}",
  "timeZone": "-03:00",
  "sectors": [
    {"code": "4", "name": "NORTE", "capcity": 6240},
    {"code": "${'é'.repeat(17)}", "name": "${'B'.repeat(41)}", "capacity": -1},
    {"code": "5", "name": "norte", "codes": ["5", "4"]},
    {"name": " SUL", "codes": []},
    {"code": "8", "name": "OESTE", "contact": "${'c'.repeat(41)}", "entriesPerHour": 0}
  ]
}`;
    expect(faultsOf(text)).toEqual([
      'line 2: name has 81 characters: give at most 80',
      'line 3: timeZone is "-03:00": give an IANA name, as America/Fortaleza',
      'line 5: sector 1 has "capcity", which is not known: it may have code, name, stand, codes, capacity, contact, entriesPerHour',
      'line 6: code of sector 2 has 34 bytes: give at most 32',
      'line 6: name of sector 2 has 41 characters: give at most 40',
      'line 6: capacity of sector 2 is -1: give a whole number',
      'line 8: sector 4 has no "code"',
      'line 8: name of sector 4 begins or ends with a space',
      'line 8: codes of sector 4 is an empty list: give a list of codes, or leave it out',
      'line 9: contact of sector 5 has 41 characters: give at most 40',
      'line 9: entriesPerHour of sector 5 is 0: give a whole number above 0, or leave it out',
      'line 7: the code "4" is in sector 1 and in sector 3',
      'line 7: the name "norte" is in sector 1 and in sector 3',
    ]);
  });

  test('that is no JSON by a comma or a comment has its other faults named beside it', () => {
    const text = `{
  "nome": "Arena", // as on the sign
  "sectors": [
    {"code": "4", "name": "NORTE", "capacity": "6240",},
    {"code": "4", "name": "SUL"}
    {"code": "5", "name": "LESTE"},
  ]
}`;
    expect(faultsOf(text)).toEqual([
      'line 2: it is not JSON: invalid comment token',
      'line 4: it is not JSON: the comma before "}" is one too many',
      'line 6: it is not JSON: comma expected',
      'line 6: it is not JSON: the comma before "]" is one too many',
      'line 2: the venue has "nome", which is not known: it may have name, sectors, timeZone, evacuation',
      'line 1: the venue has no "name"',
      'line 4: capacity of sector 1 is "6240": give a whole number',
      'line 5: the code "4" is in sector 1 and in sector 2',
    ]);
  });

  test('that ends too early, or leaves open what is meant, has nothing named that may follow from that', () => {
    expect(faultsOf('{"nome": "Arena",\n"sectors": [4,,7}')).toEqual([
      'line 2: it is not JSON: the comma before "," is one too many',
      'line 2: it is not JSON: comma expected',
      'line 2: it is not JSON: close bracket expected',
    ]);
  });

  test.each([
    ['', 'line 1: it is not JSON: value expected'],
    ['{\n  "name": "Arena",\n  // a comment\n}', 'line 3: it is not JSON: invalid comment token'],
    ['{"name": "Arena",\n"sectors": [],}', 'line 2: it is not JSON: the comma before "}" is one too many'],
    ['{"sectors": [\n4, \r\n]}', 'line 2: it is not JSON: the comma before "]" is one too many'],
    ['{"sectors": [4,\n,7]}', 'line 1: it is not JSON: the comma before "," is one too many'],
    ['{"sectors": ["a,"\n"b"]}', 'line 2: it is not JSON: comma expected'],
    ['['.repeat(400_000), 'it is nested too deep'],
    ['[]', 'line 1: the venue is a list: give an object with "name" and "sectors"'],
    ['{"name":1,"sectors":{}}', 'line 1: sectors is an object: give a list of 1 to 60 sectors'],
    [venueWith(), 'line 1: sectors has 0: give a list of 1 to 60 sectors'],
    [
      venueWith(...Array.from({ length: 61 }, (_, n) => ({ code: `${n}`, name: `N ${n}` }))),
      'sectors has 61:',
    ],
    [venueWith({ ...NORTE, codes: ['4', '4'] }), 'sector 1 has the code "4" twice'],
    [venueWith({ ...NORTE, codes: ['a'] }, { code: 'a', name: 'SUL' }), 'the code "a" is in sector 1 and in'],
    [venueWith({ ...NORTE, codes: ['a'] }, { code: 'b', name: 'SUL', codes: ['4'] }), 'the code "4" is in'],
    [venueWith({ ...NORTE, codes: [4] }), 'code 1 in codes of sector 1 is 4: give a text in quotes'],
    [venueWith({ ...NORTE, name: 'A\tB' }), 'name of sector 1 has a control character'],
    [venueWith({ ...NORTE, stand: 'A\u202EB' }), 'stand of sector 1 has a control character'],
    [venueWith({ ...NORTE, code: '' }), 'code of sector 1 is empty'],
    [venueWith({ ...NORTE, capacity: 1.5 }), 'capacity of sector 1 is 1.5: give a whole number'],
    [venueWith({ ...NORTE, capacity: '100' }), 'capacity of sector 1 is "100": give a whole number'],
    [venueWith({ ...NORTE, contact: 212 }), 'contact of sector 1 is 212: give a text in quotes'],
    [venueWith({ ...NORTE, contact: 'canal 4\n' }), 'contact of sector 1 has a control character'],
    [venueWith({ ...NORTE, entriesPerHour: '2.400' }), 'entriesPerHour of sector 1 is "2.400": give a whole'],
    ['{"name":"A","name":"B","sectors":[]}', 'the venue has "name" twice'],
    ['{"evacuation":"Saia"}', 'evacuation is "Saia": give an object with "wallText"'],
    ['{"evacuation":{}}', 'evacuation has no "wallText"'],
    ['{"evacuation":{"wallText":""}}', 'wallText of evacuation is empty'],
    [
      `{"evacuation":{"wallText":"${'a'.repeat(81)}"}}`,
      'wallText of evacuation has 81 characters: give at most',
    ],
    ['{"evacuation":{"wallText":"a","text":"b"}}', 'evacuation has "text", which is not known'],
    ['{"__proto__":{},"sectors":[]}', 'the venue has "__proto__", which is not known'],
  ])('that says %.40j is refused', (text, fault) => {
    expect(faultsOf(text).join('\n')).toContain(fault);
  });

  test('has at most 1,000 codes', () => {
    const withCodes = (count: number): string =>
      venueWith({ ...NORTE, codes: Array.from({ length: count }, (_, n) => `c${n}`) });
    expect(readVenue(withCodes(1_000)).sectors[0]?.codes).toHaveLength(1_000);
    expect(faultsOf(withCodes(1_001))).toEqual(['line 1: sectors has 1001 codes in all: give at most 1000']);
  });

  test('with faults without end has a hundred of them reported', () => {
    const faults = faultsOf(`{${Array.from({ length: 5_000 }, (_, n) => `"k${n}":1`).join()}}`);
    expect(faults).toHaveLength(101);
    expect(faults.at(-1)).toBe('and 4902 more');
    expect(faultsOf(`[4${','.repeat(5_000)}]`)).toHaveLength(101);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
