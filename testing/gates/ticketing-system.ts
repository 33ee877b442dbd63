import type postgres from 'postgres';

export type Sql = postgres.Sql | postgres.TransactionSql;
/** An operation of a system on one of its tickets, by the number of the ticket. */
export type Operation = (sql: Sql, ticket: number) => Promise<unknown>;

/** A ticketing system with its tables as it makes them, personal data among them, and what it does to them. */
export interface TicketingSystem {
  readonly name: string;
  readonly tables: string;
  /** The arguments of `connect` for event 1. */
  readonly options: readonly string[];
  /** Sells so many tickets of event 1, with the IDs from 1 on, and some of event 2. */
  readonly sell: (sql: Sql, tickets: number) => Promise<unknown>;
  readonly checkIn: Operation;
  /** Moves the ticket to another sector. */
  readonly move: Operation;
  readonly operations: readonly Operation[];
  /** Every ticket of event 1 as a row of id, is_valid_ticket, entrou and setor, written without the product's view. */
  readonly recount: string;
}

/** Returns any of the values. */
export const pick = <T>(values: readonly T[]): T => values.at(Math.floor(Math.random() * values.length)) as T;
