import type postgres from 'postgres';
import type { Venue } from '../../../domain/venue.ts';
import { openTickets } from '../csv/read-tickets.ts';
import type { TicketFile } from '../csv/ticket-file.ts';
import { GatesError, TryAgainError } from '../../cli/errors.ts';
import type { ChosenEvent } from '../../events/event.ts';
import { withSession } from '../../cli/session.ts';
import { countSimulated, reserveEvent } from '../../simulator/simulated-id.ts';
import type { Target } from '../../cli/target.ts';
import { compareTickets, countDifferent, findUnknown, type UnknownTickets } from './comparison.ts';
import { applyCorrections, planCorrections, type CorrectionPlan } from './corrections.ts';
import { describeEncoding, describeHeader } from './describe-file.ts';
import type { ImportOptions } from './import-options.ts';
import { findOverfull, type OverfullSector } from './overfull.ts';
import { type Rejects, writeRejects } from './rejects.ts';
import { countLines, stageTickets, type Staged } from './staging.ts';
import { UnknownSectors } from './unknown-sectors.ts';

export interface Import {
  readonly target: Target;
  readonly event: ChosenEvent;
  readonly venue: Venue;
  readonly options: ImportOptions;
  /** Where bad lines are written, while the others are imported; undefined: they stop it. */
  readonly rejects: string | undefined;
  /** Everything is told, and nothing changed. */
  readonly isDryRun: boolean;
  readonly stop: AbortSignal;
  /** Hears how the file is read. */
  readonly say: (line: string) => void;
  /** Called before tickets are cancelled, or bad lines left out. Throws if they are not to be. */
  readonly approve: (plan: Approval) => Promise<void>;
}

interface Approval extends CorrectionPlan {
  /** Tickets of the file that are good, and lines that are bad. */
  readonly tickets: number;
  readonly badLines: number;
}

/** What became of the lines of a file; each counts once. */
export interface Imported {
  readonly inserted: number;
  readonly same: number;
  readonly corrected: number;
  /** And left so. */
  readonly different: number;
  /** Tickets that are not in the file. */
  readonly cancelled: number;
  /** Lines that repeat another one. */
  readonly repeated: number;
  readonly badLines: number;
  /** Not there, and not added. */
  readonly unknown: UnknownTickets;
  readonly unknownSectors: UnknownSectors;
  /** What the event has then, by the sectors that are permitted fewer. */
  readonly overfull: readonly OverfullSector[];
}

const UNDONE = 'Nothing was imported.';
const REJECTS_HINT = '"import --rejects FILE" imports the others, and writes these to FILE.';

/**
 * Imports a file as a whole or not at all. All of it is read and checked before a ticket is written; what is written is
 * one transaction, which holds up no gate (`applyCorrections`).
 *
 * @throws GatesError that says why nothing was imported.
 */
export async function importFile(file: TicketFile, job: Import): Promise<Imported> {
  const { target, event, options, stop, say } = job;
  const { eventId } = event;
  const unknownSectors = new UnknownSectors(job.venue);
  return withSession(target, stop, async (session) => {
    // Apart from the writing: no transaction stays open while somebody is asked, as a board that connects would wait.
    const { read, plan } = await session.transaction(UNDONE, async (sql) => {
      const found = await readFile(sql, file, job, unknownSectors);
      if (found.tickets === 0 && options.cancelMissing) {
        throw new GatesError('The file has no ticket: --cancel-missing would cancel them all.');
      }
      return { read: found, plan: await planCorrections(sql, eventId, options) };
    });
    const { tickets, repeated, rejected } = read;
    const { corrected, cancelled } = plan;
    /** `added` and `different` before anything is corrected. */
    const describe = async (
      sql: postgres.Sql,
      added: number,
      different: number,
      unknown: UnknownTickets,
    ): Promise<Imported> => ({
      inserted: added,
      same: tickets - added - different - unknown.count,
      corrected,
      different: Math.max(0, different - corrected),
      cancelled,
      repeated,
      badLines: rejected?.count ?? 0,
      unknown,
      unknownSectors,
      overfull: await findOverfull(sql, eventId, job.venue),
    });
    if (job.isDryRun) {
      return session.transaction(UNDONE, async (sql) => {
        await sql`set transaction read only`;
        await assertNoneSimulated(sql, event);
        const { added, different } = await compareTickets(sql, eventId);
        return describe(sql, added, different, await findUnknown(sql, eventId));
      });
    }
    const badLines = rejected?.count ?? 0;
    if (cancelled > 0 || badLines > 0) await job.approve({ ...plan, tickets, badLines });
    say(`${countLines(tickets + repeated + badLines)} read; inserting...`);
    const write = (): Promise<Imported> =>
      session.transaction(UNDONE, async (sql) => {
        await reserve(sql, event);
        await assertNoneSimulated(sql, event);
        const unknown = await findUnknown(sql, eventId);
        const inserted = await insertTickets(sql, eventId);
        const different = await countDifferent(sql, eventId);
        const imported = await describe(sql, inserted, different, unknown);
        // Last, as it holds tickets until the end.
        await applyCorrections(sql, eventId, corrected + cancelled, stop);
        return imported;
      });
    if (!rejected || badLines === 0 || job.rejects === undefined) return write();
    return writeRejects(job.rejects, rejected, write);
  });
}

async function readFile(
  sql: postgres.Sql,
  file: TicketFile,
  { options, rejects, stop, say }: Import,
  unknownSectors: UnknownSectors,
): Promise<Staged & { readonly rejected: Rejects | undefined }> {
  const keepsBadLines = rejects !== undefined;
  const reader = await openTickets(file, { ...options, keepsBadLines }, stop);
  describeHeader(reader.dialect).forEach(say);
  try {
    const staged = await stageTickets(sql, reader, file, {
      keepsBadLines,
      hint: REJECTS_HINT,
      onSector: (setor) => unknownSectors.add(setor),
    });
    await file.assertUnchanged();
    const { dialect, badLines } = reader;
    return {
      ...staged,
      rejected: keepsBadLines ? { dialect, lines: badLines.kept, count: badLines.count } : undefined,
    };
  } finally {
    describeEncoding(reader.text.encoding).forEach(say);
  }
}

async function reserve(sql: postgres.Sql, { eventId, name }: ChosenEvent): Promise<void> {
  if (await reserveEvent(sql, eventId, 'real')) return;
  throw new TryAgainError(`simulate is filling the event ${name}: import into another, or wait.`);
}

async function assertNoneSimulated(sql: postgres.Sql, { eventId, name }: ChosenEvent): Promise<void> {
  const { simulated } = await countSimulated(sql, eventId);
  if (simulated === 0) return;
  throw new GatesError(
    `The event ${name} has ${simulated} simulated tickets, which would be counted among the real ones. ` +
      '"simulate --remove" deletes them, and nothing else.',
  );
}

/** Those that are not there. Without a column for it, a ticket is valid, and has not entered. */
async function insertTickets(sql: postgres.Sql, eventId: string): Promise<number> {
  await sql`insert into public.events (id) values (${eventId}) on conflict do nothing`;
  const { count } = await sql`
    insert into public.tickets (event_id, id, is_valid_ticket, entrou, setor)
    select ${eventId}, id, coalesce(is_valid_ticket, true), coalesce(entrou, false), setor from incoming
    where setor is not null order by line
    on conflict do nothing`;
  return count;
}
