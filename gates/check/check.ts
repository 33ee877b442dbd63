import { findAddress } from './address-findings.ts';
import { findCapitals, findKept, findSectors, findTickets, findTimes } from './event-findings.ts';
import { describeFinding, type Finding, look, stops } from './finding.ts';
import { findDesk } from './desk-findings.ts';
import { findBackup, readBackups, type Written, writtenSince } from './backup-findings.ts';
import { findClock, findDisk } from './machine-findings.ts';
import { findWriting } from './write-finding.ts';
import { countSentByHttp, findBoard, findListen, type SentByHttp } from './service-findings.ts';
import { isRecordKept } from '../backup/record-beside.ts';
import { readArguments, type Command } from '../cli/command.ts';
import { WITHOUT_ROW_SECURITY } from '../cli/database-errors.ts';
import { tryReadRunId } from '../cli/database-id.ts';
import { GatesError, TryAgainError, UnseenError, UsageError } from '../cli/errors.ts';
import { locateEvent } from '../events/event.ts';
import { describeUnknownEvents, readUnknownEvents } from '../http/unknown-events.ts';
import { localZoneOf } from '../events/event-details.ts';
import { type EventSummary, readSummaries } from '../events/event-summary.ts';
import { withSession } from '../cli/session.ts';
import { userPath } from '../cli/user-path.ts';
import { venueOf } from '../import/venue.ts';
import { countSimulated } from '../simulator/simulated-id.ts';

const DEFAULT_BACKUPS = '/var/backups/triagem';

export const check: Command = {
  help: `Usage: npm run -s gates -- check [--event ID] [--backups FOLDER] [--url https://HOST]...

For the evening before a match: a line for each thing that is well ("ok"), that somebody should see to ("LOOK"), or
that would stop a gate ("STOPS"), with the fix. Whether an entry can be written (one is tried, and taken back), clock,
disk, tickets, sectors and their capacity, times of the event, age of the last backup, whether it can be restored (it
is read whole) and whether all that is here is in it, whether a board shows the event, is live and displays this venue
(it is asked at the address that it announced, beside a server of yours at HOST and PORT), what a desk has left in
force, whether "listen" runs, writes into this database, takes the key of GATES_HTTP_KEY and what it keeps,
certificates that end before kick-off (else before the gates open) or within a week, or that browsers refuse, and
pages that do not answer.
It changes nothing.

  --event ID        this event (default: EVENT_ID, else the event of the running board)
  --backups FOLDER  where backups are written (default: ${DEFAULT_BACKUPS})
  --url URL         of board, desk or "listen" (its /healthz) as others reach it, with its certificate; may be
                    repeated. The certificate of a database with TLS is looked at by itself

Exit code: 0, or 1 where something would stop a gate, or where this account cannot look.
`,
  async run(args, env) {
    const { values } = readArguments(args, {
      event: { type: 'string' },
      backups: { type: 'string', default: DEFAULT_BACKUPS },
      url: { type: 'string', multiple: true, default: [] },
    });
    const urls = values.url.map(readUrl);
    const located = await locateEvent(values.event, env).catch((error: unknown) => {
      if (error instanceof TryAgainError) return error;
      throw error;
    });
    if (located instanceof UnseenError) {
      process.stdout.write(describeFinding(look('board', `this account cannot look. ${located.message}`)));
      process.stderr.write('Whether anything would stop a gate is not known.\n');
      return 1;
    }
    if (located instanceof TryAgainError) {
      // The embedded database runs with the board.
      const subject = env['GATES_DATABASE_URL']?.trim() ? 'database' : 'board';
      return report([stops(subject, located.message)]);
    }
    const { stop, target, event } = located;
    const { eventId } = event;
    const venueOrFault = await venueOf(env, target).catch((error: unknown) => {
      if (error instanceof GatesError) return error;
      throw error;
    });
    const venue = venueOrFault instanceof GatesError ? undefined : venueOrFault;
    let zone = localZoneOf(undefined, env, venue);
    const writing = await findWriting(target, eventId, stop);
    if (!writing.canRead) return report([writing.finding]);
    const nowMs = Date.now();
    const backups = await readBackups(userPath(values.backups, env), eventId, stop);
    let times: Pick<EventSummary, 'gatesOpenAt' | 'kickOffAt'> = { gatesOpenAt: null, kickOffAt: null };
    let counts = { tickets: 0, valid: 0, entered: 0 };
    let sentByHttp: SentByHttp = { databaseId: '', tickets: 0, kept: 0, unknown: undefined };
    let written: Written | undefined;
    let doOthersHaveTickets = false;
    const found = await withSession(target, stop, async ({ sql }): Promise<Finding[]> => {
      sentByHttp = { ...sentByHttp, databaseId: await tryReadRunId(sql) };
      const clock = await findClock(sql, target, zone, env);
      const [summary] = await readSummaries(sql, eventId);
      if (!summary) {
        const { newestWithTickets: last } = backups;
        const fix = last ? `${backups.restoreCommand}, which has it` : '"event list", or "event create"';
        return [clock, stops('event', `there is no event ${eventId} here: ${fix}`)];
      }
      times = summary;
      counts = summary;
      const unknown = describeUnknownEvents(await readUnknownEvents(sql));
      sentByHttp = { ...sentByHttp, ...(await countSentByHttp(sql, eventId)), unknown };
      const [other] = await sql<[{ doOthersHaveTickets: boolean; areHidden: boolean }]>`
        select exists (select from public.tickets where event_id <> ${eventId}) as "doOthersHaveTickets",
          row_security_active('public.tickets') as "areHidden"`;
      ({ doOthersHaveTickets } = other);
      written = backups.newest && (await writtenSince(sql, eventId, backups.newest));
      const { simulated } = await countSimulated(sql, eventId);
      zone = localZoneOf(summary.timeZone, env, venue);
      const telling = {
        zone,
        nowMs,
        eventOption: values.event === undefined ? '' : ` --event ${eventId}`,
        isConnected: writing.isConnected,
      };
      return [
        clock,
        findTimes(summary, telling),
        other.areHidden
          ? stops('tickets', `row security may hide some from this role: ${WITHOUT_ROW_SECURITY}`)
          : findTickets(summary, telling, { simulated, backups }),
        ...(await findCapitals(sql, eventId)),
        ...(venue ? await findSectors(sql, eventId, venue, telling) : []),
        ...(await findKept(sql, eventId, unknown, telling)),
      ];
    });
    if (target.folder === undefined) urls.unshift(new URL(target.url));
    const findings = [
      writing.finding,
      ...found,
      await findDisk(target),
      findBackup(
        backups,
        {
          ...counts,
          eventId,
          isShown: target.boards.some((board) => board.eventId === eventId),
          doOthersHaveTickets,
          written,
          isRecordKept: await isRecordKept(env, target),
          isConnected: writing.isConnected,
        },
        nowMs,
      ),
      ...(venueOrFault instanceof GatesError ? [look('venue', venueOrFault.message)] : []),
      ...(await findBoard(env, target, eventId, venue)),
      ...(await findDesk(env, target, { eventId, zone, stop })),
      await findListen(env, eventId, sentByHttp, zone),
      ...(await Promise.all(urls.map((url) => findAddress(url, { ...times, nowMs, zone })))).flat(),
    ];
    return report(findings);
  },
};

/** Returns the exit code. */
function report(findings: readonly Finding[]): number {
  process.stdout.write(findings.map(describeFinding).join(''));
  const stopping = findings.filter(({ level }) => level === 'stops').length;
  process.stderr.write(
    stopping === 0 ? 'Nothing here would stop a gate.\n' : `${stopping} of these would stop a gate.\n`,
  );
  return stopping === 0 ? 0 : 1;
}

function readUrl(text: string): URL {
  if (URL.canParse(text) && new URL(text).protocol === 'https:') return new URL(text);
  throw new UsageError(`--url is "${text}", which is no https://HOST.`);
}
