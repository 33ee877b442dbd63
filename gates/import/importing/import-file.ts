import type postgres from 'postgres';
import { knownCodes, type Venue } from '../../../domain/venue.ts';
import { readEvents } from '../../backup/backup-contents.ts';
import { nameFew } from '../csv/bad-lines.ts';
import { openTickets } from '../csv/read-tickets.ts';
import type { TicketFile } from '../csv/ticket-file.ts';
import { GatesError, quoteValue, refusedSilently, TryAgainError } from '../../cli/errors.ts';
import type { ChosenEvent } from '../../events/event.ts';
import { withSession } from '../../cli/session.ts';
import { countSimulated, reserveEvent } from '../../simulator/simulated-id.ts';
import type { Target } from '../../cli/target.ts';
import {
  compareTickets,
  countDifferent,
  findTakenId,
  findUnknown,
  type UnknownTickets,
} from './comparison.ts';
import { applyCorrections, planCorrections, type CorrectionPlan } from './corrections.ts';
import { describeEncoding, describeHeader } from './describe-file.ts';
import type { ImportOptions } from './import-options.ts';
import { findOtherCase, type OtherCase } from './other-case.ts';
import { findOverfull, type OverfullSector } from './overfull.ts';
import { type Rejects, writeRejects } from './rejects.ts';
import { assertHeader, countLines, stageTickets, type Staged } from './staging.ts';
import { findUnseenCharacters, type UnseenCharacters } from './unseen-characters.ts';
import { findUnknownSectors, type UnknownSectors } from './unknown-sectors.ts';

export interface Import {
  readonly target: Target;
  readonly event: ChosenEvent;
  readonly venue: Venue;
  readonly options: ImportOptions;
  /** The file for bad lines, while the others are imported; undefined lets bad lines stop all but a dry run. */
  readonly rejects: string | undefined;
  readonly isDryRun: boolean;
  readonly stop: AbortSignal;
  readonly log: (line: string) => void;
  /** Called before tickets are cancelled, or bad lines left out. Throws to prevent that. */
  readonly approve: (plan: Approval) => Promise<void>;
  /** Called before the commit, within its transaction. */
  readonly note?: (sql: postgres.Sql, imported: Imported) => Promise<void>;
}

interface Approval extends CorrectionPlan {
  readonly tickets: number;
  readonly badLines: number;
}

/** The counts of an import. */
export interface Imported {
  readonly inserted: number;
  /** The ID of an event that was not there before. */
  readonly newEventId: string | undefined;
  readonly same: number;
  readonly corrected: number;
  /** Counts the corrected tickets that were not valid and are again. */
  readonly validAgain: number;
  /** Counts the corrected tickets that were valid and are no longer. */
  readonly noLongerValid: number;
  /** Counts existing tickets that differ and were not changed. */
  readonly different: number;
  readonly cancelled: number;
  /** Counts lines that repeat another one. */
  readonly repeated: number;
  readonly badLines: number;
  readonly unknown: UnknownTickets;
  readonly unseenCharacters: UnseenCharacters;
  readonly otherCase: OtherCase;
  readonly unknownSectors: UnknownSectors;
  readonly overfull: readonly OverfullSector[];
}

const UNDONE = 'Nothing was imported.';
const NAMED_WITH_REJECTS = 3;
export const REJECTS_HINT = '"import --rejects FILE" imports the others, and writes these to FILE.';

/**
 * Imports a file whole or not at all. All of it is read and checked first; one transaction, which delays no gate
 * (`applyCorrections`), writes the tickets.
 *
 * @throws GatesError with the reason why nothing was imported.
 */
export async function importFile(file: TicketFile, job: Import): Promise<Imported> {
  const { target, event, options, stop, log } = job;
  const { eventId } = event;
  return withSession(target, stop, async (session) => {
    // A transaction of its own: none may stay open while the user is asked, since a board that connects would wait.
    const { read, plan, newEventId } = await session.transaction(UNDONE, async (sql) => {
      const found = await readFile(sql, file, job);
      // The ticket of a bad line would count as missing.
      const cancelMissing = options.cancelMissing && found.badLines === 0;
      if (found.tickets === 0 && cancelMissing) {
        throw new GatesError('The file has no ticket: --cancel-missing would cancel them all.');
      }
      return {
        read: found,
        plan: await planCorrections(sql, eventId, { ...options, cancelMissing }),
        newEventId: (await readEvents(sql, eventId)).length === 0 ? eventId : undefined,
      };
    });
    const { tickets, repeated, badLines, rejected } = read;
    const { corrected, validAgain, noLongerValid, cancelled } = plan;
    /** Takes `added` and `different` as of before the corrections. */
    const describe = async (
      sql: postgres.Sql,
      added: number,
      different: number,
      unknown: UnknownTickets,
    ): Promise<Imported> => ({
      inserted: added,
      newEventId,
      same: tickets - added - different - unknown.count,
      corrected,
      validAgain,
      noLongerValid,
      different: Math.max(0, different - corrected),
      cancelled,
      repeated,
      badLines,
      unknown,
      unseenCharacters: await findUnseenCharacters(sql),
      otherCase: await findOtherCase(sql, eventId),
      unknownSectors: await findUnknownSectors(sql, eventId, job.venue, options),
      overfull: await findOverfull(sql, eventId, job.venue),
    });
    if (job.isDryRun) {
      return session.transaction(UNDONE, async (sql) => {
        await sql`set transaction read only`;
        await assertNoneSimulated(sql, event);
        await assertIdsFree(sql, eventId);
        const { added, different } = await compareTickets(sql, eventId);
        return describe(sql, added, different, await findUnknown(sql, eventId));
      });
    }
    if (cancelled > 0 || badLines > 0) await job.approve({ ...plan, tickets, badLines });
    log(`${countLines(tickets + repeated + badLines)} read; inserting...`);
    const write = (): Promise<Imported> =>
      session.transaction(UNDONE, async (sql) => {
        await reserve(sql, event);
        await assertNoneSimulated(sql, event);
        await assertIdsFree(sql, eventId);
        const unknown = await findUnknown(sql, eventId);
        const inserted = await insertTickets(sql, eventId);
        const different = await countDifferent(sql, eventId);
        const imported = await describe(sql, inserted, different, unknown);
        await job.note?.(sql, imported);
        // Last, since it locks tickets until the commit.
        await applyCorrections(sql, eventId, corrected + cancelled, stop);
        return imported;
      });
    if (badLines === 0 || !rejected || job.rejects === undefined) return write();
    return writeRejects(job.rejects, rejected, write);
  });
}

async function readFile(
  sql: postgres.Sql,
  file: TicketFile,
  { event, venue, options, rejects, isDryRun, stop, log }: Import,
): Promise<Staged & { readonly badLines: number; readonly rejected: Rejects | undefined }> {
  const keepsBadLines = rejects !== undefined;
  const columns = { ...options.columns, codes: knownCodes(venue) };
  const reader = await openTickets(file, { ...options, columns, keepsBadLines }, stop);
  describeHeader(reader.dialect).forEach(log);
  try {
    const staged = await stageTickets(sql, reader, file, keepsBadLines);
    await assertHeader(sql, event.eventId, reader.dialect, columns);
    const { dialect, badLines } = reader;
    if (badLines.count > 0 && !keepsBadLines && !isDryRun) throw badLines.toError(REJECTS_HINT);
    const described = badLines.describe();
    // The file of the rejects has them all; the first few are for the question.
    (isDryRun ? described : nameFew(described, NAMED_WITH_REJECTS)).forEach(log);
    await file.assertUnchanged();
    const rejected = keepsBadLines ? { dialect, lines: badLines.kept } : undefined;
    return { ...staged, badLines: badLines.count, rejected };
  } finally {
    describeEncoding(reader.text.encoding).forEach(log);
  }
}

async function reserve(sql: postgres.Sql, { eventId, name }: ChosenEvent): Promise<void> {
  if (await reserveEvent(sql, eventId, 'real')) return;
  throw new TryAgainError(
    `simulate is filling the event ${name}, or restore brings it back: import into another, or wait.`,
  );
}

async function assertNoneSimulated(sql: postgres.Sql, { eventId, name }: ChosenEvent): Promise<void> {
  const { simulated } = await countSimulated(sql, eventId);
  if (simulated === 0) return;
  throw new GatesError(
    `The event ${name} has ${simulated} simulated tickets, which would be counted among the real ones. ` +
      '"simulate --remove" deletes them, and nothing else.',
  );
}

async function assertIdsFree(sql: postgres.Sql, eventId: string): Promise<void> {
  const taken = await findTakenId(sql, eventId);
  if (!taken) return;
  throw new GatesError(
    `The table "tickets" takes each ID once, and ${quoteValue(taken.id)} is that of a ticket of the event ${taken.eventId}: ` +
      'give the tickets IDs of their own, or import into that event.',
  );
}

/** Inserts the missing tickets. By default a ticket is valid and has not entered. Deleted ones may have left their times. */
async function insertTickets(sql: postgres.Sql, eventId: string): Promise<number> {
  await sql`insert into public.events (id) values (${eventId}) on conflict do nothing`;
  const [{ inserted }] = await sql<[{ inserted: number }]>`
    with inserted as (
      insert into public.tickets (event_id, id, is_valid_ticket, entrou, setor)
      select ${eventId}, id, coalesce(is_valid_ticket, true), coalesce(entrou, false), setor from incoming
      where setor is not null order by line
      on conflict do nothing
      returning id
    ), forgotten as (
      delete from public.ticket_times using inserted
      where ticket_times.event_id = ${eventId} and ticket_times.id = inserted.id
    )
    select count(*)::int as inserted from inserted`;
  const [{ missing }] = await sql<[{ missing: number }]>`
    select count(*)::int as missing from incoming where setor is not null and not exists (
      select from public.tickets ticket where ticket.event_id = ${eventId} and ticket.id = incoming.id)`;
  if (missing > 0) throw refusedSilently(missing);
  return inserted;
}
