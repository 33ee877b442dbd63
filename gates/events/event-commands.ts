import { commandGroup } from '../cli/command-group.ts';
import { createEvent } from './create.ts';
import { deleteEvent } from './delete.ts';
import { listEvents } from './list.ts';
import { setEvent } from './set.ts';
import { showEvent } from './show.ts';

const help = `Usage: npm run -s gates -- event COMMAND [options]

A match, from its name to its end.

  event create  name a new one, and print its id
  event set     change its title and times
  event list    all of them, with their tickets
  event show    one of them, by sector, and the codes that the venue does not know
  event delete  write it into a file, then delete it

Each command: --help.
`;

export const EVENT_COMMANDS = commandGroup('event', help, {
  create: createEvent,
  set: setEvent,
  list: listEvents,
  show: showEvent,
  delete: deleteEvent,
});
