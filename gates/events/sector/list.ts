import { permittedSectors } from '../../../domain/permitted-capacity.ts';
import { readArguments, type Command } from '../../cli/command.ts';
import { printable } from '../../cli/errors.ts';
import { chooseEvent, readEvent } from '../event.ts';
import { withSession } from '../../cli/session.ts';
import { stopSignal } from '../../cli/stop-signal.ts';
import { findTarget } from '../../cli/target.ts';
import { venueOf } from '../../import/venue.ts';
import { readSectorDocuments } from './sector-document.ts';

/** The sectors of a match, with how many each may hold. */
export const listSectors: Command = {
  help: `Usage: npm run -s gates -- sector list [--event ID] [--json]

The sectors of the venue, in the order of the screen: code, capacity as the event's document has it, that of the
venue, name. The capacity of the document is the permitted one; without it the venue's counts.

  --event ID  this event (default: EVENT_ID, else the event of the running board)
  --json      as JSON, null for what is not said
`,
  async run(args, env) {
    const { values } = readArguments(args, {
      event: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    const named = readEvent(values.event, env);
    const stop = stopSignal();
    const target = await findTarget(env);
    const { eventId } = chooseEvent(named, target);
    const venue = await venueOf(env, target);
    const documents = await withSession(target, stop, ({ sql }) => readSectorDocuments(sql, eventId));
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
    const cells = sectors.map(({ code, name, capacity, venueCapacity }) =>
      [
        code,
        ...[capacity, venueCapacity].map((count) => (count === null ? '-' : JSON.stringify(count))),
        name,
      ].map(printable),
    );
    process.stdout.write(table([['code', 'capacity', 'venue', 'name'], ...cells]));
    return 0;
  },
};

function table(rows: readonly string[][]): string {
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = [width(0), width(1), width(2)];
  return rows
    .map(([code = '', capacity = '', venue = '', name = '']) => {
      const [codeWidth = 0, capacityWidth = 0, venueWidth = 0] = widths;
      return `${code.padEnd(codeWidth)}  ${capacity.padStart(capacityWidth)}  ${venue.padStart(venueWidth)}  ${name}\n`;
    })
    .join('');
}
