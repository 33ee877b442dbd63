import type postgres from 'postgres';
import { readLogState } from '../model/log/log-state.ts';
import { type Minute, MINUTE_MS, minuteOf } from '../model/series/minute.ts';
import { sectorCodesOf } from '../../domain/venue.ts';
import { readArguments, type Command } from '../../gates/cli/command.ts';
import { canAsk, confirm } from '../../gates/cli/confirm.ts';
import { GatesError, printable, UsageError } from '../../gates/cli/errors.ts';
import { readEvent, readRecordedEvent } from '../../gates/events/event.ts';
import { readEventTime } from '../../gates/events/event-time.ts';
import {
  checkIncidents,
  type Incident,
  INCIDENT_GRAMMAR,
  parseIncident,
} from '../../gates/simulator/incidents.ts';
import { withSession } from '../../gates/cli/session.ts';
import { stopSignal } from '../../gates/cli/stop-signal.ts';
import { findTarget } from '../../gates/cli/target.ts';
import { venueOf } from '../../gates/import/venue.ts';
import { playDrill } from './drill-match.ts';
import { addDrillEvent, ticketsAtEnd } from './drill-tickets.ts';
import { insertMinutes } from './insert-minutes.ts';
import { addEntries, lockRecord, readDatabaseTime, readLog } from './record-log.ts';
import { type MinutesOfMatch, readRecordedMinutes } from './recorded-match.ts';

const UNDONE = 'Nothing was recorded.';

/** Records a match once more with invented incidents, as another event. */
export const drill: Command = {
  help: `Usage: npm run -s gates -- record drill --from EVENT --event ID --incident WHAT... [--kick-off TIME] [--yes]

For practice: takes the minutes of a recorded match, lets things go wrong in it, and adds minutes, alarms and lots to the
record of another event, as if that had just ended. All of it is marked "simulated", its tickets too, which are those at
the end. Nobody has acknowledged an alarm, and nothing was forecast. The last line of its log names the incidents.

  --from EVENT      the match whose minutes are taken: what was watched, else what was imported
  --event ID        the event of the exercise, which has no ticket and no record yet
  --incident WHAT   something goes wrong, see below; as often as you like
  --kick-off TIME   of the match, with its offset, where its log does not say it: 2026-11-22T16:00-03:00
  --yes             do not ask

What can go wrong:
${INCIDENT_GRAMMAR}

To play it: EVENT_ID=ID SIMULATED=yes npm start, then open "Voltar" on the desk (docs/record.md, "Practice").
`,
  async run(args, env) {
    const { values } = readArguments(args, {
      from: { type: 'string' },
      event: { type: 'string' },
      incident: { type: 'string', multiple: true },
      'kick-off': { type: 'string' },
      yes: { type: 'boolean', default: false },
    });
    const fromId = readRecordedEvent(values.from, {});
    const eventId = readEvent(values.event, {});
    if (fromId === undefined)
      throw new UsageError('--from is missing: name the event of the recorded match.');
    if (eventId === undefined) throw new UsageError('--event is missing: name the event of the exercise.');
    if (fromId === eventId)
      throw new UsageError('--from and --event are the same: an exercise is another event.');
    const texts = values.incident ?? [];
    if (texts.length === 0)
      throw new UsageError(`--incident is missing: what goes wrong?\n${INCIDENT_GRAMMAR}`);
    const incidents = texts.map(parseIncident);
    const namedKickOff = values['kick-off'];
    const namedKickOffMs = namedKickOff && readEventTime('--kick-off', namedKickOff, 'UTC').getTime();
    if (!values.yes && !canAsk()) throw new UsageError('It needs --yes, as nobody is here to be asked.');
    const stop = stopSignal();
    const target = await findTarget(env, 'RECORD_DATABASE_URL');
    const gates = await findTarget(env, 'GATES_DATABASE_URL', { needsTickets: false });
    const venue = await venueOf(env, gates);
    const venueCodes = sectorCodesOf(venue);
    checkIncidents(incidents, venue);
    if ([...target.boards, ...gates.boards].some((board) => board.eventId === eventId))
      throw new GatesError(`A running board shows the event ${eventId}: name another one.`);

    if (!values.yes) {
      await confirm(`Add an exercise as the event ${eventId}? Its record cannot be removed.`, stop);
    }
    const added = await withSession(target, stop, (session) =>
      session.transaction(UNDONE, async (sql) => {
        await lockRecord(sql, eventId);
        await requireNothing(sql, eventId);
        const match = await readMatch(sql, fromId, venueCodes, namedKickOffMs || null);
        assertRecorded(match, incidents);
        const laterMs = minuteOf(await readDatabaseTime(sql)) - endOf(match);
        const { minutes, log } = playDrill({
          ...match,
          incidents,
          laterMs,
          opening: `SIMULADO: exercício sobre o registro do evento ${fromId}`,
          closing: `SIMULADO: fim do exercício; foi inventado: ${texts.join(', ')}`,
        });
        await addDrill(sql, eventId, match, minutes);
        await addEntries(sql, eventId, [], log);
        const last = minutes.at(-1);
        if (!last) throw new Error('unreachable: a match has minutes');
        const event = {
          eventId,
          gatesOpenAtMs: match.gatesOpenAtMs === null ? null : match.gatesOpenAtMs + laterMs,
          kickOffAtMs: match.kickOffAtMs + laterMs,
          tickets: ticketsAtEnd(eventId, match.codes, last, venue),
        };
        // This comes last and is committed first: a record without its tickets could not be removed.
        await withSession(gates, stop, (selling) =>
          selling.transaction(UNDONE, (gatesSql) => addDrillEvent(gatesSql, event)),
        );
        return { minutes, alarms: log.filter(({ kind }) => kind === 'alarm').length };
      }),
    );
    const { minutes, alarms } = added;
    process.stdout.write(
      `${minutes.length} minutes and ${alarms} ${alarms === 1 ? 'alarm' : 'alarms'} recorded for the event ${printable(eventId)}, all of them simulated\n`,
    );
    return 0;
  },
};

interface RecordedMatch extends MinutesOfMatch {
  readonly kickOffAtMs: number;
  readonly gatesOpenAtMs: number | null;
}

async function readMatch(
  sql: postgres.Sql,
  eventId: string,
  venueCodes: readonly string[],
  namedKickOffMs: number | null,
): Promise<RecordedMatch> {
  const log = await readLog(sql, eventId);
  const match = await readRecordedMinutes(sql, eventId, { log, venueCodes });
  if (!match) throw new GatesError(`Nothing of the event ${eventId} is recorded.`);
  const { gatesOpenAtMs, kickOffAtMs: loggedMs } = readLogState(log);
  const kickOffAtMs = namedKickOffMs ?? loggedMs;
  if (kickOffAtMs === null) {
    throw new GatesError(
      `The log of the event ${eventId} does not say its kick-off: name it with --kick-off.`,
    );
  }
  return { ...match, kickOffAtMs, gatesOpenAtMs };
}

async function requireNothing(sql: postgres.Sql, eventId: string): Promise<void> {
  const [row] = await sql<[{ isThere: boolean }]>`
    select exists (select from triagem.log where event_id = ${eventId})
      or exists (select from triagem.minutes where event_id = ${eventId}) as "isThere"`;
  if (row.isThere)
    throw new GatesError(
      `Something of the event ${eventId} is recorded already: an exercise has an event of its own.`,
    );
}

/** What goes wrong must do so while the match was recorded. */
function assertRecorded(match: RecordedMatch, incidents: readonly Incident[]): void {
  const minuteOfMatch = (atMs: number): number => Math.floor((atMs - match.kickOffAtMs) / MINUTE_MS);
  const [first, end] = [minuteOfMatch(match.minutes[0]?.minuteMs ?? 0), minuteOfMatch(endOf(match))];
  for (const incident of incidents) {
    if (incident.kind === 'late' || (incident.minute >= first && incident.minute < end)) continue;
    throw new GatesError(
      `--incident names the minute ${incident.minute}, and the match is recorded from ${first} to ${end}: name one of these.`,
    );
  }
}

function endOf({ minutes }: MinutesOfMatch): number {
  return (minutes.at(-1)?.minuteMs ?? 0) + MINUTE_MS;
}

async function addDrill(
  sql: postgres.Sql,
  eventId: string,
  { codes }: MinutesOfMatch,
  minutes: readonly Minute[],
): Promise<void> {
  const rows = minutes.flatMap(({ minuteMs, sectors }) =>
    sectors.map((counts, place) => Object.assign({ minuteMs, sector: codes[place] ?? '' }, counts)),
  );
  await insertMinutes(sql, { eventId, source: 'simulated', importId: '' }, rows);
}
