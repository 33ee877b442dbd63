import { randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { DEFAULT_TICKETS, generateTickets } from '../gates/simulated-tickets.ts';

export interface TicketRow {
  readonly id: string;
  readonly setor: string;
  readonly entrou?: boolean;
  readonly valid?: boolean;
  readonly eventId?: string;
}

export async function insertTickets(sql: postgres.Sql, rows: readonly TicketRow[]): Promise<void> {
  const values = rows.map(({ id, setor, entrou = false, valid = true, eventId = DEFAULT_EVENT_ID }) => ({
    event_id: eventId,
    id,
    setor,
    entrou,
    is_valid_ticket: valid,
  }));
  await sql`insert into tickets ${sql(values)}`;
}

export async function setEntered(sql: postgres.Sql, id: string, entrou: boolean): Promise<void> {
  await sql`update tickets set entrou = ${entrou} where event_id = ${DEFAULT_EVENT_ID} and id = ${id}`;
}

export function newEventId(): string {
  return randomBytes(16).toString('hex');
}

/** All tickets of a sold-out stadium, nobody in it yet. */
export async function fillStadium(gates: postgres.Sql): Promise<void> {
  const tickets = generateTickets(DEFAULT_EVENT_ID, DEFAULT_TICKETS);
  await gates`insert into events (id) values (${DEFAULT_EVENT_ID}) on conflict do nothing`;
  await gates`
    insert into tickets (event_id, id, is_valid_ticket, entrou, setor)
    select ${DEFAULT_EVENT_ID}, id, "isValid", false, setor
    from jsonb_to_recordset(${gates.json(tickets.map(({ id, isValid, setor }) => ({ id, isValid, setor })))}) as sold (id text, "isValid" boolean, setor text)`;
}
