import type postgres from 'postgres';
import type { Environment } from '../cli/command.ts';
import { errorCode, errorMessage } from '../cli/errors.ts';
import { askBoard, askJson } from '../cli/ask-board.ts';
import { describeTickets } from '../events/code-counts.ts';
import { nameOf } from '../events/event.ts';
import { formatEventTime } from '../events/event-time.ts';
import { CHECK_AGENT, DEFAULT_PORT } from '../http/settings.ts';
import { describeOtherVenue } from '../import/venue.ts';
import type { Target } from '../cli/target.ts';
import type { Venue } from '../../domain/venue.ts';
import { type Finding, look, ok, stops } from './finding.ts';

const ANSWER_LIMIT_MS = 5_000;
const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** Finds the board of the event, whether it is live, and whether it displays the venue of this shell, where that can be read. */
export async function findBoard(
  env: Environment,
  { boards, hasCounters }: Pick<Target, 'boards' | 'hasCounters'>,
  eventId: string,
  venue: Venue | undefined,
): Promise<Finding[]> {
  const board = boards.find((one) => one.eventId === eventId);
  if (!board) {
    if (hasCounters) return [ok('board', 'counters count it; what their edges show is not known here')];
    const fix = `start one with EVENT_ID=${eventId}`;
    return boards.length === 0
      ? [look('board', `none runs: ${fix}`)]
      : [look('board', `none shows this event, but ${boards.map(nameOf).join(', ')}: ${fix}`)];
  }
  const { url, isItsOwn, silentBecause, venueId } = await askBoard(env, board);
  if (silentBecause !== undefined) {
    return [
      look(
        'board',
        isItsOwn
          ? `that of this event does not answer at ${url} (${silentBecause}): look at its log, or start it again`
          : `one observes this event, but whether it is live is not seen at ${url} (${silentBecause}): set HOST and PORT ` +
              'to its own, or ask its /readyz on its machine',
      ),
    ];
  }
  const readiness = await findReadiness(url);
  if (venue === undefined) return [readiness];
  const isUnseen = venueId !== undefined && !env['VENUE_FILE']?.trim();
  const other = isUnseen
    ? 'the board displays a venue of its own, and VENUE_FILE is not set here, so that its file is not looked at: set it as for the board'
    : describeOtherVenue(env, venue, venueId);
  const shown =
    venueId === undefined
      ? 'runs without VENUE_FILE: it displays the built-in sectors'
      : 'displays this venue';
  return [readiness, other === undefined ? ok('venue', `the board ${shown}`) : look('venue', other)];
}

async function findReadiness(url: string): Promise<Finding> {
  const answer = await askJson(`${url}/readyz`);
  if (typeof answer === 'string')
    return look('board', `that of this event does not answer (${url}): ${answer}`);
  const { status, waitingFor, warning, simulated } = answer;
  if (status !== 'observing')
    return look('board', `that of this event is not live (${url}): ${String(waitingFor)}`);
  const live = `one shows this event, live (${url})`;
  if (simulated === true) {
    const fix = 'for a match, start it without SIMULATED';
    return look('board', `${live}, but marks all as "demonstração", and its record as simulated: ${fix}`);
  }
  return typeof warning === 'string' ? look('board', `${live}, but: ${warning}`) : ok('board', live);
}

/** The event's database, and what it tells of messages over HTTP. */
export interface SentByHttp {
  /** See `tryReadRunId`. */
  readonly databaseId: string | undefined;
  /** About how many tickets messages with a time came, and how many readings are kept for tickets that are not there. */
  readonly tickets: number;
  readonly kept: number;
  /** What `findKept` names already of readings of events that do not exist. */
  readonly unknown: string | undefined;
}

/** Counts what messages over HTTP have left of the event. One without a time leaves no trace at a ticket. */
export async function countSentByHttp(
  sql: postgres.Sql,
  eventId: string,
): Promise<Pick<SentByHttp, 'tickets' | 'kept'>> {
  const [row] = await sql<[{ tickets: number; kept: number }]>`
    select (select count(*)::int from public.ticket_times where event_id = ${eventId} and ahead <> '{}') as tickets,
      (select count(*)::int from public.kept_readings where event_id = ${eventId}) as kept`;
  return row;
}

/** A site that has set GATES_HTTP_KEY, or whose tickets had messages over HTTP, has gates that need `listen`. */
export async function findListen(
  env: Environment,
  eventId: string,
  { databaseId, tickets, kept, unknown = '' }: SentByHttp,
  zone: string,
): Promise<Finding> {
  const key = env['GATES_HTTP_KEY']?.trim();
  const isNeeded = Boolean(key) || tickets > 0;
  const why = key
    ? 'GATES_HTTP_KEY is set'
    : `messages about ${describeTickets(tickets)} of the event came over HTTP`;
  const host = env['GATES_HTTP_HOST']?.trim() || '127.0.0.1';
  const port = env['GATES_HTTP_PORT']?.trim() || DEFAULT_PORT;
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  let response: Response;
  try {
    response = await fetch(`http://${address}/readyz`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') {
      const text = `what listens at ${address} has not answered within ${ANSWER_LIMIT_MS / 1_000} s: if it is "listen", stop that process ("ss -ltnp" shows which), and start it again`;
      return isNeeded ? stops('listen', text) : look('listen', text);
    }
    const how = errorCode((error as Error).cause) === 'ECONNREFUSED' ? '' : ` (${errorMessage(error)})`;
    const fix = 'start "listen", or set GATES_HTTP_HOST and GATES_HTTP_PORT to its own';
    const text = `it does not run at ${address}${how}`;
    if (isNeeded) return stops('listen', `${text}, and ${why}: ${fix}`);
    return kept > 0
      ? look('listen', `${text}, and what is kept came over HTTP (${kept}): if gates still send so, ${fix}`)
      : ok(
          'listen',
          `${text}; GATES_HTTP_KEY is not set, and nothing tells that gates of this event send over HTTP`,
        );
  }
  const answer = (await response.json().catch(() => ({}))) as Partial<Record<string, string>> | null;
  const { status, waitingFor, warning } = answer ?? {};
  if (status === 'not writing') return stops('listen', `${address} does not write: ${waitingFor}`);
  if (status === 'writing') {
    if (answer?.['databaseId'] !== databaseId) {
      const fix =
        'start it again with DATA_DIR or GATES_DATABASE_URL as they are here, or set them here as it has them';
      const text = `${address} writes into another database than this one, or is of another version: ${fix}`;
      return isNeeded
        ? stops('listen', text)
        : look('listen', `${text}; or set GATES_HTTP_PORT to that of the "listen" of this one`);
    }
    const refusal = key ? await tryKey(address, key, eventId) : undefined;
    if (refusal !== undefined) return refusal;
    const writes = key ? `writes, and takes GATES_HTTP_KEY (${address})` : `writes (${address})`;
    // It ends with what is unknown.
    const others = warning?.endsWith(unknown) ? warning.slice(0, -unknown.length || undefined) : warning;
    return others
      ? look('listen', `it writes, but: ${inZone(others.replace(/\. $/, ''), zone)}`)
      : ok('listen', writes);
  }
  const text = `another program answers at ${address}: set GATES_HTTP_PORT to the port of "listen"`;
  return isNeeded ? stops('listen', text) : ok('listen', `${text}, if gates send over HTTP`);
}

/** Rewrites the instants of a warning, which are in UTC. */
function inZone(warning: string, zone: string): string {
  return warning.replaceAll(INSTANT, (instant) => formatEventTime(new Date(instant), zone));
}

/** Posts a body without a message, which changes nothing. Returns undefined where the key is right. */
async function tryKey(address: string, key: string, eventId: string): Promise<Finding | undefined> {
  let answer: string;
  // A header has one byte for a character.
  const bytes = Buffer.from(key).toString('latin1');
  try {
    const { status } = await fetch(`http://${address}/events/${eventId}/tickets`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${bytes}`,
        'content-type': 'application/json',
        'user-agent': CHECK_AGENT,
      },
      body: '[]',
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    if (status === 200) return undefined;
    if (status === 401) {
      return stops(
        'listen',
        `it runs at ${address} with another key, and refuses gates that send GATES_HTTP_KEY: start "listen" again with this ` +
          'key, or set here the one that the gates have',
      );
    }
    answer =
      status === 429
        ? 'too many requests without the right key came from here: wait a minute, and run "check" again'
        : `status ${status}`;
  } catch (error) {
    answer = errorMessage(error);
  }
  return look(
    'listen',
    `it writes (${address}), but whether it takes GATES_HTTP_KEY is not known: ${answer}`,
  );
}
