import type postgres from 'postgres';
import { sectorCodesOf } from '../../../domain/venue.ts';
import { readArguments, readCount, type Command } from '../../cli/command.ts';
import { GatesError, quoteValue, UsageError } from '../../cli/errors.ts';
import { locateEvent } from '../event.ts';
import { withSession } from '../../cli/session.ts';
import { venueOf } from '../../import/venue.ts';
import { readSectorDocuments } from './sector-document.ts';

const MOST = 1_000_000;

export const setSector: Command = {
  help: `Usage: npm run -s gates -- sector set CODE --capacity N [--event ID]

Writes the permitted capacity of a sector (laudo) into its document of the event; the rest of the document stays. The board
needs no restart.

  --capacity N  so many people; "none" takes it out again, and the venue's counts
  --event ID    this event (default: EVENT_ID, else the event of the running board)
`,
  async run(args, env) {
    const { values, positionals } = readArguments(
      args,
      { capacity: { type: 'string' }, event: { type: 'string' } },
      ['CODE'],
    );
    const code = positionals[0] ?? '';
    if (values.capacity === undefined) throw new UsageError('--capacity is missing.');
    const capacity = values.capacity === 'none' ? undefined : readCount('--capacity', values.capacity);
    if (capacity !== undefined && capacity > MOST) {
      throw new UsageError(`--capacity is ${capacity}: give at most ${MOST}.`);
    }
    const { stop, target, event } = await locateEvent(values.event, env);
    const { eventId } = event;
    const venue = await venueOf(env, target);
    if (!sectorCodesOf(venue).includes(code)) {
      const known = sectorCodesOf(venue).map(quoteValue).join(', ');
      throw new GatesError(`The venue has no sector ${quoteValue(code)}. It has ${known}.`);
    }
    await withSession(target, stop, (session) =>
      session.transaction('Nothing was changed.', (sql) => writeCapacity(sql, eventId, code, capacity)),
    );
    const what = capacity === undefined ? 'no capacity of its own' : `a capacity of ${capacity}`;
    process.stdout.write(`The sector ${quoteValue(code)} has ${what} at the event ${eventId}\n`);
    return 0;
  },
};

async function writeCapacity(
  sql: postgres.Sql,
  eventId: string,
  code: string,
  capacity: number | undefined,
): Promise<void> {
  const there = (await readSectorDocuments(sql, eventId)).find((document) => document.code === code);
  if (there && !there.isObject) {
    throw new GatesError(
      `The document of the sector ${quoteValue(code)} is no JSON object, and is left alone.`,
    );
  }
  if (!there && capacity === undefined) return;
  // The key of a gate system's own table may be another: "on conflict" could not name it.
  const { count } =
    capacity === undefined
      ? await sql`
          update public.sectors set data = data - 'capacity' where event_id = ${eventId} and code = ${code}`
      : await sql`
          update public.sectors set data = data || jsonb_build_object('capacity', ${capacity}::int)
          where event_id = ${eventId} and code = ${code}`;
  if (count > 0 || capacity === undefined) return;
  await sql`
    insert into public.sectors (event_id, code, data)
    values (${eventId}, ${code}, jsonb_build_object('capacity', ${capacity}::int))`;
}
