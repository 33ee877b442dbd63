import type { Venue } from '../../domain/venue.ts';
import { UsageError } from '../../gates/cli/errors.ts';
import { checkIncidents, INCIDENT_GRAMMAR, parseIncident } from '../../gates/simulator/incidents.ts';
import { readCommandLine, wrongUsage } from '../../server/command-line.ts';

/** The emulator resends all tickets after every change; docs/firestore.md has its limits. */
const FIRESTORE_TICKETS = 5_000;

const HELP = `Usage: npm run demo [-- [--firestore [--tickets N]] [--speed X] [--incident WHAT]... [--no-incidents]]

Serves the board with a simulated event: 43,680 tickets, or one for each seat of the VENUE_FILE, and spectators that come
in as at Castelão on 26 March 2025. Its data is its own; DATABASE_URL and the data of npm start are not touched. Ctrl-C
stops everything.

The flow desk is on, with a key that is printed. All that it keeps is invented: twelve earlier matches, and this one,
whose record begins afresh with each demo. Its clock runs as fast as the match.

  --firestore      the tickets are in Google's Firestore emulator, which needs Java and is not brought: see docs/firestore.md
  --tickets N      with --firestore: this many (default: ${FIRESTORE_TICKETS}); the emulator sends all of them again after every change
  --speed X        times faster than real life (default: 60, two hours in two minutes)
  --incident WHAT  something goes wrong, see below; as often as you like (default: one sector is stopped, one slowed)
  --no-incidents   nothing goes wrong

What can go wrong:
${INCIDENT_GRAMMAR}

PORT, HOST, DATA_DIR, EMBEDDED_DATABASE_PORT, EVENT_ID, EVENT_TITLE, TIME_ZONE, VENUE_FILE, DESK_KEY are respected, and
so are ALARM_WEBHOOK_URL and ALARM_WEBHOOK_SECRET: its messages are marked as simulated.
`;

const PROGRAM = 'npm run demo';

export interface DemoOptions {
  readonly speed: string;
  /** Undefined stands for the default incidents. */
  readonly incidents: readonly string[] | undefined;
  /** Undefined for tickets in PostgreSQL, one for each seat. */
  readonly firestoreTickets: number | undefined;
}

/** @throws CommandLineEnd for `--help`, and for wrong options. */
export function readOptions(args: readonly string[]): DemoOptions {
  const { values } = readCommandLine(args, {
    program: PROGRAM,
    help: HELP,
    options: {
      speed: { type: 'string', default: '60' },
      incident: { type: 'string', multiple: true },
      'no-incidents': { type: 'boolean', default: false },
      firestore: { type: 'boolean', default: false },
      tickets: { type: 'string' },
    },
  });
  const { speed, incident, 'no-incidents': isQuiet, firestore, tickets } = values;
  if (!(Number(speed) > 0 && Number.isFinite(Number(speed)))) {
    throw wrongUsage(`--speed is "${speed}", which is not a number above 0.`, PROGRAM);
  }
  if (isQuiet && incident) throw wrongUsage('--no-incidents goes without --incident.', PROGRAM);
  if (tickets !== undefined && !firestore) throw wrongUsage('--tickets goes with --firestore.', PROGRAM);
  const count = tickets === undefined ? FIRESTORE_TICKETS : Number(tickets);
  if (!(Number.isInteger(count) && count > 0))
    throw wrongUsage(`--tickets is "${tickets}", which is no number of tickets.`, PROGRAM);
  return { speed, incidents: isQuiet ? [] : incident, firestoreTickets: firestore ? count : undefined };
}

/** Returns the chosen incidents, else the default ones. @throws CommandLineEnd for one that is impossible here */
export function incidentsAt(venue: Venue, { incidents }: DemoOptions): readonly string[] {
  const texts = incidents ?? defaultIncidents(venue);
  try {
    checkIncidents(texts.map(parseIncident), venue);
  } catch (error) {
    throw error instanceof UsageError ? wrongUsage(error.message, PROGRAM) : error;
  }
  return texts;
}

/** Disturbs the two largest sectors, so that the desk has alarms to show. */
function defaultIncidents({ sectors }: Venue): readonly string[] {
  const [largest, second = largest] = sectors.toSorted((a, b) => (b.capacity ?? 0) - (a.capacity ?? 0));
  if (!largest || !second) return [];
  return [`stop:${second.code}@-35+6`, `slow:${largest.code}@-26+9x0.3`];
}
