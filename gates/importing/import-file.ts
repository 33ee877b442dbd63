import type postgres from 'postgres';
import type { Venue } from '../../domain/venue.ts';
import { openTickets } from '../csv/read-tickets.ts';
import type { TicketFile } from '../csv/ticket-file.ts';
import { GatesError, TryAgainError } from '../errors.ts';
import type { ChosenEvent } from '../event.ts';
import { withSession } from '../session.ts';
import { countSimulated, reserveEvent } from '../simulated-id.ts';
import type { Target } from '../target.ts';
import { compareTickets, countDifferent } from './comparison.ts';
import { applyCorrections, planCorrections, type CorrectionPlan } from './corrections.ts';
import { describeEncoding, describeHeader } from './describe-file.ts';
import type { ImportOptions } from './import-options.ts';
import { countLines, stageTickets } from './staging.ts';
import { UnknownSectors } from './unknown-sectors.ts';

export interface Import {
  readonly target: Target;
  readonly event: ChosenEvent;
  readonly venue: Venue;
  readonly options: ImportOptions;
  /** Everything is told, and nothing changed. */
  readonly isDryRun: boolean;
  readonly stop: AbortSignal;
  /** Hears how the file is read. */
  readonly say: (line: string) => void;
  /** Called before tickets are cancelled. Throws if they are not to be. */
  readonly approve: (plan: CorrectionPlan) => Promise<void>;
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
  readonly unknownSectors: UnknownSectors;
}

const UNDONE = 'Nothing was imported.';

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
    const { lines, plan } = await session.transaction(UNDONE, async (sql) => {
      const read = await readFile(sql, file, job, unknownSectors);
      if (read === 0 && options.cancelMissing) {
        throw new GatesError('The file has no ticket: --cancel-missing would cancel them all.');
      }
      return { lines: read, plan: await planCorrections(sql, eventId, options) };
    });
    const { corrected, cancelled } = plan;
    const told = { unknownSectors, corrected, cancelled };
    if (job.isDryRun) {
      return session.transaction(UNDONE, async (sql) => {
        await sql`set transaction read only`;
        await assertNoneSimulated(sql, event);
        const { added, different } = await compareTickets(sql, eventId);
        return {
          ...told,
          inserted: added,
          same: lines - added - different,
          different: different - corrected,
        };
      });
    }
    if (cancelled > 0) await job.approve(plan);
    say(`${countLines(lines)} read; inserting...`);
    return session.transaction(UNDONE, async (sql) => {
      await reserve(sql, event);
      await assertNoneSimulated(sql, event);
      const inserted = await insertTickets(sql, eventId);
      const different = await countDifferent(sql, eventId);
      // Last, as it holds tickets until the end.
      await applyCorrections(sql, eventId, corrected + cancelled, stop);
      return {
        ...told,
        inserted,
        same: lines - inserted - different,
        different: Math.max(0, different - corrected),
      };
    });
  });
}

async function readFile(
  sql: postgres.Sql,
  file: TicketFile,
  { options, stop, say }: Import,
  unknownSectors: UnknownSectors,
): Promise<number> {
  const reader = await openTickets(file, options, stop);
  describeHeader(reader.dialect).forEach(say);
  try {
    const lines = await stageTickets(sql, reader, file, unknownSectors);
    await file.assertUnchanged();
    return lines;
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
    select ${eventId}, id, coalesce(is_valid_ticket, true), coalesce(entrou, false), setor from incoming order by line
    on conflict do nothing`;
  return count;
}
