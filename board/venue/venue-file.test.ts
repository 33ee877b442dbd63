import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../server/config.ts';

const VENUE = { name: 'Arena', timeZone: 'America/Fortaleza', sectors: [{ code: '4', name: 'Norte' }] };

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'triagem-venue-file-'));
  mkdirSync(join(folder, 'folder'));
  symlinkSync('loop', join(folder, 'loop'));
  writeFileSync(join(folder, 'venue.json'), JSON.stringify(VENUE));
  writeFileSync(join(folder, 'large.json'), Buffer.alloc(10_000_000, ' '));
  writeFileSync(join(folder, 'latin.json'), Buffer.from('{"name":"São Januário"}', 'latin1'));
  writeFileSync(
    join(folder, 'faulty.json'),
    '{\n  "name": "",\n  "sectors": [{ "code": "4", "capcity": 1 }]\n}\n',
  );
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('VENUE_FILE', () => {
  test('names a venue; its time zone is the default of TIME_ZONE', () => {
    const path = join(folder, 'venue.json');
    const { venue, timeZone } = readConfig({ VENUE_FILE: path });
    expect(venue?.sectors).toEqual([{ code: '4', name: 'Norte', stand: 'Norte', codes: ['4'] }]);
    expect(timeZone).toBe('America/Fortaleza');
    expect(readConfig({ VENUE_FILE: path, TIME_ZONE: 'America/Manaus' }).timeZone).toBe('America/Manaus');
    expect(readConfig({}).venue).toBeUndefined();
  });

  test('may be of the working directory', () => {
    const path = relative(process.cwd(), join(folder, 'venue.json'));
    expect(readConfig({ VENUE_FILE: path }).venue?.name).toBe('Arena');
  });

  test.each([
    ['missing.json', /VENUE_FILE is ".*missing\.json": there is no such file \(\/.*missing\.json\)/],
    ['venue.json/x', /there is no such file/],
    ['folder', /it is a folder: name a file/],
    ['loop', /it is a link that leads to itself/],
    ['large.json', /it has 10000000 bytes: a venue has at most 1000000/],
    ['latin.json', /it is not UTF-8: save it as such/],
    ['x'.repeat(300), /the name is too long/],
    ['../../dev/null', /it is no file/],
  ])('%.20s is refused in clear words', (name, fault) => {
    const path = name.endsWith('dev/null') ? '/dev/null' : join(folder, name);
    expect(() => readConfig({ VENUE_FILE: path })).toThrow(fault);
  });

  test('has its faults reported beside those of the other settings, in one message', () => {
    const path = join(folder, 'faulty.json');
    expect(() => readConfig({ VENUE_FILE: path, PORT: 'x' })).toThrow(
      `Triagem cannot start with these settings:
  - VENUE_FILE is "${path}": line 2: name is empty
  - VENUE_FILE is "${path}": line 3: sector 1 has "capcity", which is not known: it may have code, name, stand, codes, capacity, contact, entriesPerHour
  - VENUE_FILE is "${path}": line 3: sector 1 has no "name"
  - PORT is "x": give a port from 0 to 65535`,
    );
  });
});
