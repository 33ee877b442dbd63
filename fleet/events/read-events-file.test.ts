import { describe, expect, test } from 'vitest';
import { DOCUMENT_ID_FORM } from '../../domain/event.ts';
import { readEvents } from './read-events-file.ts';
import { JsonFileError } from '../../domain/json-file.ts';
import { DEFAULT_VENUE, type Venue } from '../../domain/venue.ts';

const [A, B] = ['a'.repeat(32), 'b'.repeat(32)];

function readVenueFile(path: string): Venue {
  if (path === 'good.json') return DEFAULT_VENUE;
  throw new JsonFileError(['line 3: name is empty', 'line 4: sectors is "x"']);
}

function faultsOf(file: unknown): readonly string[] {
  const text = typeof file === 'string' ? file : JSON.stringify(file, undefined, 1);
  try {
    readEvents(text, readVenueFile);
  } catch (error) {
    if (error instanceof JsonFileError) return error.faults;
    throw error;
  }
  return [];
}

describe('an events file', () => {
  test('names events by host, each with its fields', () => {
    const file = {
      'Jogo.Exemplo.com.br': {
        eventId: A,
        title: 'Final',
        venueFile: 'good.json',
        timeZone: 'America/Manaus',
      },
      '10.0.0.7': { eventId: B },
    };
    expect(readEvents(JSON.stringify(file), readVenueFile)).toEqual([
      {
        eventId: A,
        hosts: ['jogo.exemplo.com.br'],
        title: 'Final',
        venue: DEFAULT_VENUE,
        timeZone: 'America/Manaus',
      },
      { eventId: B, hosts: ['10.0.0.7'], title: undefined, venue: undefined, timeZone: undefined },
    ]);
  });

  test('may give an event several hosts with the same fields', () => {
    const final = { eventId: A, title: 'Final' };
    const events = readEvents(
      JSON.stringify({ 'a.test': final, 'b.test': final, '[::1]': { eventId: B } }),
      readVenueFile,
    );
    expect(events.map(({ hosts }) => hosts)).toEqual([['a.test', 'b.test'], ['[::1]']]);
    expect(faultsOf({ 'a.test': final, 'b.test': { eventId: A, title: 'Semifinal' } })).toEqual([
      'line 6: "b.test" has another title than "a.test", which is the same event',
    ]);
  });

  test('has all its faults reported at once, each with its line', () => {
    const text = `{
  "a.test": { "eventId": "x/y", "venueFile": "bad.json" },
  "A.TEST": { "eventId": "${A}", "tilte": "Final" },
  "https://b.test/": { "title": "" },
  "c.test:8080": { "eventId": "${B}", "timeZone": "Fortaleza" },
  "são.test": 7
}`;
    expect(faultsOf(text)).toEqual([
      `line 2: eventId of "a.test" is "x/y": give ${DOCUMENT_ID_FORM}`,
      'line 2: venueFile of "a.test" is "bad.json": line 3: name is empty',
      'line 2: venueFile of "a.test" is "bad.json": line 4: sectors is "x"',
      'line 3: "a.test" is there twice: a name is that of one event',
      'line 3: "a.test" has "tilte", which is not known: it may have eventId, title, venueFile, timeZone',
      'line 4: "https://b.test/" is no host name: give one as "jogo.exemplo.com.br", without a scheme or a path',
      'line 4: "https://b.test/" has no "eventId"',
      'line 4: title of "https://b.test/" is empty',
      'line 5: "c.test:8080" has a port: leave it out, an event is served under its name on every port',
      'line 5: timeZone of "c.test:8080" is "Fortaleza": give an IANA name, as America/Fortaleza',
      'line 6: "são.test" has letters that no host name has: write it as browsers send it, with xn--',
      'line 6: "são.test" is 7: give an object with "eventId"',
    ]);
  });

  test.each([
    ['{}', 'line 1: the file names 0 hosts: give an object with 1 to 10000 host names, each with its event'],
    ['[]', 'line 1: the file is a list: give an object with 1 to 10000 host names, each with its event'],
    ['', 'line 1: it is not JSON: value expected'],
    [`{"a.test":{"eventId":"${A}"},}`, 'line 1: it is not JSON: the comma before "}" is one too many'],
  ])('that is %s is refused', (text, fault) => expect(faultsOf(text)).toEqual([fault]));

  test.each([
    '',
    '.',
    'a..test',
    'a.test.',
    '-a.test',
    'a_b.test',
    'a b',
    '*.test',
    'a.test/x',
    'x'.repeat(254),
  ])('has no host named "%.20s"', (host) => expect(faultsOf({ [host]: { eventId: A } })).toHaveLength(1));
});
