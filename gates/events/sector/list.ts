import { permittedSectors } from '../../../domain/permitted-capacity.ts';
import { readArguments, type Command } from '../../cli/command.ts';
import { alignColumns } from '../../cli/align-columns.ts';
import { locateEvent } from '../event.ts';
import { withSession } from '../../cli/session.ts';
import { venueOf } from '../../import/venue.ts';
import { readSectorDocuments } from './sector-document.ts';

export const listSectors: Command = {
  help: `Usage: npm run -s gates -- sector list [--event ID] [--json]

The sectors of the venue, in the order of the screen: code, capacity as the event's document has it, that of the
venue, name. The capacity of the document is the permitted one; without it the venue's counts.

  --event ID  this event (default: EVENT_ID, else the event of the running board)
  --json      as JSON, null where there is none
`,
  async run(args, env) {
    const { values } = readArguments(args, {
      event: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    const { stop, target, event } = await locateEvent(values.event, env);
    const venue = await venueOf(env, target);
    const documents = await withSession(target, stop, ({ sql }) => readSectorDocuments(sql, event.eventId));
    const byCode = new Map(documents.map((document) => [document.code, document]));
    const sectors = permittedSectors(venue).map(({ code, name, capacity }) => ({
      code,
      name,
      capacity: byCode.get(code)?.capacity ?? null,
      venueCapacity: capacity ?? null,
    }));
    if (values.json) {
      process.stdout.write(`${JSON.stringify(sectors, undefined, 2)}\n`);
      return 0;
    }
    const cellOf = (value: unknown): string => (value === null ? '-' : JSON.stringify(value));
    const cells = sectors.map(({ code, name, capacity, venueCapacity }) => [
      code,
      cellOf(capacity),
      cellOf(venueCapacity),
      name,
    ]);
    const lines = alignColumns([['code', 'capacity', 'venue', 'name'], ...cells], [1, 2]);
    process.stdout.write(`${lines.join('\n')}\n`);
    return 0;
  },
};
