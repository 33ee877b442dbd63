import { randomBytes } from 'node:crypto';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { prepare } from '../../database/schema/migrate.ts';
import { recordGeneratedMatch } from '../../testing/desk/match-in-record.ts';
import type { Scope } from '../benchmark.ts';
import { type BenchDatabase, openSql } from '../support/database.ts';

/** With so many a forecast has a percentage: the desk shows all that it can. */
const EARLIER_MATCHES = 12;
const WEEK_MS = 7 * 24 * 60 * 60_000;
/** Of the seats that are sold. */
const VALID_SHARE = 0.93;

/**
 * A database for one server's record, in the same PostgreSQL as the tickets, with earlier matches: two servers of one
 * record would not be equal, as only one of them writes it. Returns its address.
 */
export async function makeRecordDatabase(run: Scope, database: BenchDatabase, name: string): Promise<string> {
  const { username: owner } = new URL(database.ownerUrl);
  await database.admin.unsafe(`create database ${name} owner "${owner}"`);
  const inside = (url: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const recordUrl = inside(database.recordUrl);
  await prepare(
    {
      ownerUrl: inside(database.ownerUrl),
      observerUrl: inside(database.observerUrl),
      gatesUrl: inside(database.gatesUrl),
      recordUrl,
    },
    () => {},
  );
  const admin = openSql(run, inside(database.adminUrl));
  const sectors = DEFAULT_VENUE.sectors.map(({ code, capacity = 0 }) => ({
    code,
    valid: Math.round(capacity * VALID_SHARE),
  }));
  for (let week = 1; week <= EARLIER_MATCHES; week += 1) {
    run.signal.throwIfAborted();
    await recordGeneratedMatch(
      { recordUrl, admin },
      { eventId: randomBytes(16).toString('hex'), kickOffMs: kickOffBefore(week), sectors },
    );
  }
  return recordUrl;
}

function kickOffBefore(weeks: number): number {
  return Math.floor(Date.now() / 60_000) * 60_000 - weeks * WEEK_MS;
}
