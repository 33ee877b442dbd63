import { randomBytes } from 'node:crypto';
import { isEventId, oneEventId } from '../../domain/event.ts';
import { readEvents } from '../backup/backup-contents.ts';
import { readArguments, type Command } from '../cli/command.ts';
import { GatesError, UsageError } from '../cli/errors.ts';
import { withSession } from '../cli/session.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { findTarget, type Target } from '../cli/target.ts';
import { describeTickets } from './code-counts.ts';
import { nameOf } from './event.ts';
import { venueOf } from '../import/venue.ts';
import {
  describeTimes,
  DETAIL_HELP,
  DETAIL_OPTIONS,
  insertDetails,
  isSameEvent,
  localZoneOf,
  nameOfEvent,
  quoteSetting,
  readDetailOptions,
  readDetails,
} from './event-details.ts';

export const createEvent: Command = {
  help: `Usage: npm run -s gates -- event create --title "…" [options]

Makes an event for a match, and prints its id alone on standard output; standard error has the next steps.

  --id ID             32 hexadecimal characters (default: new ones)
${DETAIL_HELP}

An event that is there with the same title and times stays as it is. With others it is refused: "event set" changes them.
`,
  async run(args, env) {
    const { values } = readArguments(args, { ...DETAIL_OPTIONS, id: { type: 'string' } });
    const { id = randomBytes(16).toString('hex'), 'time-zone': zoneNamed } = values;
    if (!isEventId(id)) throw new UsageError(`--id is "${id}", which is not 32 hexadecimal characters.`);
    const eventId = oneEventId(id);
    if (values.title === undefined) throw new UsageError('--title is missing.');
    const stop = stopSignal();
    const target = await findTarget(env);
    const zone = localZoneOf(zoneNamed, env, await venueOf(env, target));
    const {
      title = '',
      gatesOpenAt = null,
      kickOffAt = null,
      timeZone = null,
    } = readDetailOptions(values, zone);
    const details = { eventId, title, gatesOpenAt, kickOffAt, timeZone };
    const { isNew, tickets } = await withSession(target, stop, (session) =>
      session.transaction('Nothing was changed.', async (sql) => {
        const inserted = await insertDetails(sql, details);
        const [there] = inserted ? [] : await readDetails(sql, eventId);
        if (there && !isSameEvent(there, details)) {
          throw new GatesError(
            `The event ${nameOfEvent(there)} is there already, with ${describeTimes(there, there.timeZone ?? zone)}: ` +
              `leave out --id for a new one, or change this one with "event set --event ${eventId}".`,
          );
        }
        const [event] = await readEvents(sql, eventId);
        return { isNew: inserted, tickets: event?.tickets ?? 0 };
      }),
    );
    process.stdout.write(`${eventId}\n`);
    process.stderr.write(
      `The event ${nameOfEvent(details)} is ${isNew ? 'made' : 'there already, the same'}: ` +
        `${describeTimes(details, zone)}, ${describeTickets(tickets)}.\n${nextSteps(eventId, title, target)}`,
    );
    if (kickOffAt !== null && kickOffAt.getTime() < Date.now())
      process.stderr.write(
        `Beware: this kick-off is over. "event set --event ${eventId} --kick-off TIME" corrects it.\n`,
      );
    return 0;
  },
};

function nextSteps(eventId: string, title: string, { boards }: Target): string {
  const isShown = boards.some((board) => board.eventId === eventId);
  const start =
    boards.length === 0
      ? 'start the board'
      : `start the board, which shows ${boards.map(nameOf).join(', ')}, again`;
  return `Next:
  npm run -s gates -- import FILE.csv --event ${eventId}
  npm run -s gates -- event show --event ${eventId}
  ${isShown ? 'the running board shows it already; its settings are' : `then ${start} with these lines in place of those in its file of settings (where a line there begins with "export", keep it)`}:
EVENT_ID=${eventId}
EVENT_TITLE=${quoteSetting(title)}
`;
}
