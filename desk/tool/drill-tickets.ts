import type postgres from 'postgres';
import type { Minute } from '../model/series/minute.ts';
import type { Venue } from '../../domain/venue.ts';
import { GatesError } from '../../gates/cli/errors.ts';
import { insertDetails } from '../../gates/events/event-details.ts';
import { countSimulated, reserveEvent, simulatedIds } from '../../gates/simulator/simulated-id.ts';

/** The sector of tickets without a row of the venue. */
const OF_NO_ROW = 'simulado';

interface DrillTicket {
  readonly id: string;
  readonly isValid: boolean;
  readonly entrou: boolean;
  readonly setor: string;
}

/** Returns tickets that yield the counts of the last minute, by sector. */
export function ticketsAtEnd(
  eventId: string,
  codes: readonly string[],
  last: Minute,
  venue: Venue,
): readonly DrillTicket[] {
  const idOf = simulatedIds(eventId);
  const tickets: DrillTicket[] = [];
  for (const [place, code] of codes.entries()) {
    const { admitted = 0, valid = 0 } = last.sectors[place] ?? {};
    const row = venue.sectors.find((sector) => sector.code === code);
    const setor = row?.codes[0] ?? (code === '' ? OF_NO_ROW : code);
    for (let number = 0; number < Math.max(admitted, valid); number += 1) {
      const id = idOf(tickets.length + 1);
      tickets.push({ id, isValid: number < valid, entrou: number < admitted, setor });
    }
  }
  return tickets;
}

export interface DrillEvent {
  readonly eventId: string;
  readonly gatesOpenAtMs: number | null;
  readonly kickOffAtMs: number;
  readonly tickets: readonly DrillTicket[];
}

/** Adds the event of an exercise with its tickets. @throws GatesError if it has any already */
export async function addDrillEvent(
  sql: postgres.Sql,
  { eventId, gatesOpenAtMs, kickOffAtMs, tickets }: DrillEvent,
): Promise<void> {
  const isReserved = await reserveEvent(sql, eventId, 'simulated');
  const { simulated, others } = await countSimulated(sql, eventId);
  if (!isReserved || simulated + others > 0) {
    throw new GatesError(`The event ${eventId} has tickets: an exercise has an event of its own.`);
  }
  await insertDetails(sql, {
    eventId,
    title: 'SIMULADO: exercício',
    gatesOpenAt: gatesOpenAtMs === null ? null : new Date(gatesOpenAtMs),
    kickOffAt: new Date(kickOffAtMs),
    timeZone: null,
  });
  await sql`
    insert into public.tickets (event_id, id, is_valid_ticket, entrou, setor)
    select ${eventId}, id, "isValid", entrou, setor from json_to_recordset(${JSON.stringify(tickets)}::text::json)
      as sold (id text, "isValid" boolean, entrou boolean, setor text)`;
}
