import { readCommandLine, wrongUsage } from '../../../server/command-line.ts';

const PROGRAM = 'npm run demo:fleet';

const HELP = `Usage: npm run demo:fleet [-- --speed X]

Serves the board from many processes of this machine, as many machines would: a PostgreSQL with a standby, three NATS
servers, two counters, two edges behind nginx, and spectators that come in. Prints what runs where, how to kill what, and a
link to the flow desk, whose clock runs as fast as the match. All data is its own, and begins afresh each time, twelve
invented earlier matches included. Ctrl-C stops everything.

  --speed X  times faster than real life (default: 20, two hours in six minutes)

It needs nats-server and nginx: on Debian as root they are installed, else NATS_SERVER_PATH and NGINX_PATH may name them.
PORT, HOST, DATA_DIR, EVENT_ID, EVENT_TITLE, TIME_ZONE, VENUE_FILE, DESK_KEY, ALARM_WEBHOOK_URL and ALARM_WEBHOOK_SECRET are
respected.
`;

/** @throws CommandLineEnd for `--help`, and for wrong options. */
export function readFleetOptions(args: readonly string[]): { readonly speed: string } {
  const { values } = readCommandLine(args, {
    program: PROGRAM,
    help: HELP,
    options: { speed: { type: 'string', default: '20' } },
  });
  const { speed } = values;
  if (!(Number(speed) > 0 && Number.isFinite(Number(speed)))) {
    throw wrongUsage(`--speed is "${speed}", which is not a number above 0.`, PROGRAM);
  }
  return { speed };
}
