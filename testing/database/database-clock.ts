import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Binaries } from '../../database/embedded/binaries.ts';
import { makeTestFolder } from '../folder.ts';

/** The clock of a PostgreSQL, as its operator or NTP sets it: the time of day, and not the monotonic clock. */
export interface DatabaseClock {
  /** The PostgreSQL that goes by it. */
  readonly binaries: Binaries;
  /** Sets it this far ahead of this machine's. Every process of the server goes by it at once. */
  set(aheadS: number): void;
}

/** A clock of a test's own, by libfaketime, which reads how far it is ahead at every look. */
export function makeDatabaseClock(binaries: Binaries): DatabaseClock {
  const library = process.env['LIBFAKETIME_PATH'];
  if (!library) throw new Error('LIBFAKETIME_PATH is not set: run the tests with `npm test`');
  const folder = makeTestFolder();
  const ahead = join(folder, 'ahead');
  const set = (aheadS: number): void => {
    // Renamed into place: nobody reads half of it.
    writeFileSync(`${ahead}.new`, `${aheadS < 0 ? '-' : '+'}${Math.abs(aheadS)}\n`);
    renameSync(`${ahead}.new`, ahead);
  };
  set(0);
  const settings = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: ahead,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DISABLE_SHM: '1',
  };
  const exports = Object.entries(settings).map(([name, value]) => `export ${name}='${value}'\n`);
  const starter = join(folder, 'pg_ctl');
  const started = `exec '${binaries.program('pg_ctl')}' "$@"\n`;
  writeFileSync(starter, `#!/bin/sh\n${exports.join('')}${started}`, { mode: 0o755 });
  return {
    binaries: { ...binaries, program: (name) => (name === 'pg_ctl' ? starter : binaries.program(name)) },
    set,
  };
}
