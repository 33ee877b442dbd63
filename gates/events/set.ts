import { titleOf } from '../../domain/event-title.ts';
import { readEvents } from '../backup/backup-contents.ts';
import { readArguments, type Command } from '../cli/command.ts';
import { GatesError, UsageError } from '../cli/errors.ts';
import { readDeskInForce } from './desk-in-force.ts';
import { locateEvent } from './event.ts';
import { withSession } from '../cli/session.ts';
import { venueOf } from '../import/venue.ts';
import {
  describeTimes,
  DETAIL_HELP,
  DETAIL_OPTIONS,
  insertDetails,
  localZoneOf,
  nameOfEvent,
  quoteSetting,
  readDetailOptions,
  readDetails,
  updateDetails,
} from './event-details.ts';
import { formatEventTime } from './event-time.ts';

export const setEvent: Command = {
  help: `Usage: npm run -s gates -- event set [--event ID] [options]

Changes title and times of an event; what is not named stays, and "none" as TIME takes that time out again. The board that
shows it needs no restart for the times; the title that it displays is that of its setting EVENT_TITLE, and not this one.
A kick-off that a desk has set stands before this one, until it is taken back there.

  --event ID          this event (default: EVENT_ID, else the event of the running board)
${DETAIL_HELP}
`,
  async run(args, env) {
    const { values } = readArguments(args, { ...DETAIL_OPTIONS, event: { type: 'string' } });
    const { event: _event, ...detailValues } = values;
    if (Object.values(detailValues).every((value) => value === undefined)) {
      throw new UsageError('Nothing is named that is to change.');
    }
    const { stop, target, event } = await locateEvent(values.event, env);
    const { eventId } = event;
    const venue = await venueOf(env, target);
    const set = await withSession(target, stop, (session) =>
      session.transaction('Nothing was changed.', async (sql) => {
        const [there] = await readDetails(sql, eventId);
        const zone = localZoneOf(values['time-zone'] ?? there?.timeZone, env, venue);
        const changes = readDetailOptions(values, zone);
        if (there) {
          const details = { ...there, ...changes };
          await updateDetails(sql, details);
          return { details, zone };
        }
        const { title } = changes;
        if ((await readEvents(sql, eventId)).length === 0) {
          throw new GatesError(`There is no event ${eventId}: make it with "event create --id ${eventId}".`);
        }
        if (title === undefined)
          throw new GatesError('The event has no title yet: give it one, with --title.');
        const details = { eventId, title, gatesOpenAt: null, kickOffAt: null, timeZone: null, ...changes };
        await insertDetails(sql, details);
        return { details, zone };
      }),
    );
    process.stdout.write(`${nameOfEvent(set.details)}: ${describeTimes(set.details, set.zone)}\n`);
    const { title } = set.details;
    const board = target.boards.find((one) => one.eventId === eventId);
    if (values.title !== undefined && board?.displayedTitle !== titleOf(title))
      process.stderr.write(
        `The board displays the title of its setting EVENT_TITLE, not this one: start it again with EVENT_TITLE=${quoteSetting(title)}.\n`,
      );
    if (values['kick-off'] !== undefined) {
      // The event is changed, whether the record can be read or not.
      const desk = await readDeskInForce(env, target, eventId, stop).catch(() => undefined);
      if (desk?.kickOffAt && desk.kickOffAt.getTime() !== set.details.kickOffAt?.getTime())
        process.stderr.write(
          `A desk has set the kick-off to ${formatEventTime(desk.kickOffAt, set.zone)} (${set.zone}), which stands before this one until it is taken back there ("desfazer").\n`,
        );
    }
    return 0;
  },
};
