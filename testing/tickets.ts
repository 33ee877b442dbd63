import { randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';

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
