import type postgres from 'postgres';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { clockMs } from './machine-clock.ts';

/** A gate that lets one holder in at a time, each with a commit of its own. */
export interface Turnstile {
  /** How many have entered. */
  readonly total: number;
  enter(): Promise<Admission>;
}

export interface Admission {
  /** How many have entered, with this one. */
  readonly total: number;
  /** When the commit was acknowledged, by the machine's clock. */
  readonly atMs: number;
}

/** Of the tickets that are there, lets `enteredBefore` in at once; the others enter one by one, in random order. */
export async function createTurnstile(gates: postgres.Sql, enteredBefore: number): Promise<Turnstile> {
  const rows = await gates<{ id: string }[]>`
    select id from tickets where event_id = ${DEFAULT_EVENT_ID} order by random()`;
  const ids = rows.map(({ id }) => id);
  await gates`
    update tickets set entrou = true
    where event_id = ${DEFAULT_EVENT_ID} and id = any (string_to_array(${ids.slice(0, enteredBefore).join(',')}, ','))`;
  let total = enteredBefore;
  return {
    get total() {
      return total;
    },
    async enter() {
      const id = ids[total];
      if (id === undefined)
        throw new Error(`all ${ids.length} tickets have entered: nobody is left to enter`);
      const { count } = await gates`
        update tickets set entrou = true where event_id = ${DEFAULT_EVENT_ID} and id = ${id} and not entrou`;
      const atMs = clockMs();
      if (count !== 1) throw new Error(`ticket ${id} had entered already`);
      total += 1;
      return { total, atMs };
    },
  };
}
