import { commandGroup } from '../../cli/command-group.ts';
import { listSectors } from './list.ts';
import { setSector } from './set.ts';

const help = `Usage: npm run -s gates -- sector COMMAND [options]

How many people each sector may hold at a match.

  sector list  the sectors of the venue, with their capacity
  sector set   write the permitted capacity of one

Each command: --help.
`;

export const SECTOR_COMMANDS = commandGroup('sector', help, {
  list: listSectors,
  set: setSector,
});
