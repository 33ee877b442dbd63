import type postgres from 'postgres';
import { knownCodes, type Venue } from '../../domain/venue.ts';
import { quoteValue } from '../cli/errors.ts';
import { formatEventTime } from '../events/event-time.ts';
import type { EventSummary } from '../events/event-summary.ts';
import { countCodes, describeTickets } from '../events/code-counts.ts';
import { similarTickets } from '../http/kept-list.ts';
import { KEPT_WORDS, type KeptReason } from '../http/request-outcome.ts';
import { describeOverfull, overfullSectors } from '../import/importing/overfull.ts';
import type { EventBackups } from './backup-findings.ts';
import { type Finding, look, ok, stops } from './finding.ts';

const NAMED_CODES = 3;
const DAY_MS = 86_400_000;

/** How the findings are told, and their fixes. */
interface Telling {
  readonly zone: string;
  readonly nowMs: number;
  /** " --event ID" where the event was named: without it, a fix as it stands would be for another. */
  readonly eventOption: string;
  /** Whether "connect" brings the tickets: what any command here would change of them is refused. */
  readonly isConnected: boolean;
}

export function findTickets(
  { eventId, tickets, valid, entered, gatesOpenAt }: EventSummary,
  { zone, nowMs, eventOption, isConnected }: Telling,
  {
    simulated,
    backups: { newestWithTickets: backup, restoreCommand },
  }: {
    readonly simulated: number;
    readonly backups: Pick<EventBackups, 'newestWithTickets' | 'restoreCommand'>;
  },
): Finding {
  const counts = `${describeTickets(tickets)}, ${valid} valid, ${entered} entered`;
  if (tickets === 0) {
    if (isConnected)
      return stops(
        'tickets',
        'the event has none: they come from the ticketing system, where "compare" counts them again',
      );
    return backup
      ? stops('tickets', `the event has none; ${backup.name} has ${backup.tickets}: ${restoreCommand}`)
      : stops('tickets', `the event has none: "import${eventOption} FILE.csv"`);
  }
  if (simulated > 0)
    return stops(
      'tickets',
      `${counts}, ${simulated === tickets ? 'all' : simulated} of them simulated: "listen" and "import" take no others ` +
        `beside them; "simulate --remove${eventOption}" deletes these alone`,
    );
  if (valid === 0)
    return stops(
      'tickets',
      `${counts}: no gate may let anybody in; ${isConnected ? 'make them valid in the ticketing system' : `"import${eventOption} --update FILE.csv"`}`,
    );
  if (entered > 0 && gatesOpenAt !== null && nowMs < gatesOpenAt.getTime()) {
    const opening = `the gates open ${formatEventTime(gatesOpenAt, zone)}`;
    const fix = isConnected
      ? 'take these entries back in the ticketing system'
      : `"revert --event ${eventId} --count ${entered}", once no gate's clock is behind: after it, an ` +
        'entry with an earlier time does not count ("revert --help")';
    return look(
      'tickets',
      `${counts}, and ${opening}: the board would begin at ${entered}; if it was a trial, ${fix}`,
    );
  }
  return ok('tickets', counts);
}

/** Finds tickets of this event that only the board counts. */
export async function findCapitals(sql: postgres.Sql, eventId: string): Promise<Finding[]> {
  const [row] = await sql<[{ n: number }]>`
    select count(*)::int as n from public.tickets where lower(event_id) = ${eventId} and event_id <> ${eventId}`;
  if (row.n === 0) return [];
  const text = `the board counts ${describeTickets(row.n)} more, with capitals in event_id, which neither "listen" nor any command here, as "backup --event", finds`;
  const fix = 'UPDATE tickets SET event_id = lower(event_id)';
  return [look('capitals', `${text}. With the gates closed, the owner of the tables runs: ${fix}`)];
}

export function findTimes(
  { title, gatesOpenAt, kickOffAt }: EventSummary,
  { zone, nowMs, eventOption }: Telling,
): Finding {
  // An event without a title takes no times.
  const command = `"event set${eventOption}${title === null ? ' --title TITLE' : ''}`;
  if (kickOffAt === null)
    return look(
      'times',
      `no kick-off, so that the desk has no forecast until somebody sets it there: ${command} --kick-off TIME"`,
    );
  const kickOff = `kick-off ${formatEventTime(kickOffAt, zone)} (${zone})`;
  if (kickOffAt.getTime() < nowMs)
    return look('times', `${kickOff} is over: ${command} --kick-off TIME", or name another event`);
  if (gatesOpenAt === null)
    return look('times', `${kickOff}, but no time at which the gates open: ${command} --gates-open TIME"`);
  const times = `gates open ${formatEventTime(gatesOpenAt, zone)}, ${kickOff}`;
  return kickOffAt.getTime() - gatesOpenAt.getTime() > DAY_MS
    ? look(
        'times',
        `${times}, more than a day apart: correct the one that is wrong, with ${command} --gates-open TIME" or --kick-off`,
      )
    : ok('times', times);
}

/** Finds codes that the venue does not have, and sectors with more valid tickets than they may hold. */
export async function findSectors(
  sql: postgres.Sql,
  eventId: string,
  venue: Venue,
  { eventOption, isConnected }: Telling,
): Promise<Finding[]> {
  const codes = await countCodes(sql, eventId);
  const known = knownCodes(venue);
  const unknown = codes.filter(({ setor }) => !known.has(setor) && setor.trim() !== '');
  const empty = codes.filter(({ setor }) => setor.trim() === '');
  const validOf = new Map(codes.map(({ setor, valid }) => [setor, valid]));
  const overfull = await overfullSectors(sql, eventId, venue, validOf);
  const findings = overfull.map((sector) =>
    look(
      'capacity',
      `${describeOverfull(sector)} Cancel some${isConnected ? ' in the ticketing system' : ''}, or correct it: "sector set ${sector.code}${eventOption} --capacity N"`,
    ),
  );
  const importing = `"import${eventOption} --update FILE.csv"`;
  const placing = '"connect --remove", then connect again with other sectors';
  if (unknown.length > 0) {
    const named = unknown.slice(0, NAMED_CODES).map(({ setor }) => quoteValue(setor));
    const more = unknown.length > NAMED_CODES ? ` and ${unknown.length - NAMED_CODES} more` : '';
    const text = `${sum(unknown)} of the tickets in the total alone, as the venue does not know ${named.join(', ')}${more}`;
    findings.push(
      look('sectors', `${text}: ${isConnected ? placing : importing}, or the codes in VENUE_FILE`),
    );
  }
  if (empty.length > 0)
    findings.push(
      look(
        'sectors',
        `${sum(empty)} of the tickets in the total alone, as they name no sector: ${isConnected ? placing : importing}`,
      ),
    );
  const named = new Set(codes.map(({ setor }) => setor));
  const missing = venue.sectors.filter((sector) => !sector.codes.some((code) => named.has(code)));
  if (codes.length > 0 && missing.length > 0) {
    const some = missing.slice(0, NAMED_CODES).map(({ name }) => name);
    const more = missing.length > NAMED_CODES ? ` and ${missing.length - NAMED_CODES} more` : '';
    const text = `no ticket is of ${some.join(', ')}${more}`;
    const fix = isConnected ? 'their tickets must come from the ticketing system' : 'import their file, too';
    findings.push(look('sectors', `${text}: if they open, ${fix}`));
  }
  // Of an event without tickets, `findTickets` says so.
  return findings.length > 0 || codes.length === 0
    ? findings
    : [ok('sectors', 'all codes are known, and every sector has tickets, none too many')];
}

/** Finds the event's readings without a ticket. `unknown` names readings of events that do not exist. */
export async function findKept(
  sql: postgres.Sql,
  eventId: string,
  unknown: string | undefined,
  { isConnected }: Telling,
): Promise<Finding[]> {
  const findings =
    unknown === undefined
      ? []
      : [look('kept', `${unknown}. "kept" lists them, "kept --discard --event ID" deletes them`)];
  const rows = await sql<{ reason: KeptReason; count: number }[]>`
    select reason, count(*)::int as count from public.kept_readings where event_id = ${eventId}
    group by reason order by reason`;
  if (rows.length === 0) {
    return findings.length > 0 ? findings : [ok('kept', 'no reading waits for its ticket')];
  }
  const counts = rows.map(({ reason, count }) => `${count} (${KEPT_WORDS[reason]})`).join(', ');
  const [similar] = await sql<[{ count: number }]>`
    select count(*)::int as count from ${similarTickets(sql)} similar_tickets where event_id = ${eventId}`;
  const differ = similar.count === 1 ? '1 id differs' : `${similar.count} ids differ`;
  const fix = isConnected
    ? `tickets and entries must come from the ticketing system, as nothing else may write them, and "kept --discard --event ${eventId}" deletes these`
    : 'import the tickets';
  const text =
    `readings wait for their tickets: ${counts}. "kept --event ${eventId}" lists them; ${fix}` +
    (similar.count === 0
      ? ''
      : `. ${differ} from a ticket's in upper and lower case alone: correct what the gates send`);
  return [...findings, look('kept', text)];
}

function sum(codes: readonly { readonly tickets: number }[]): number {
  return codes.reduce((all, { tickets }) => all + tickets, 0);
}
