import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '../cli/errors.ts';
import { at, type Place } from './databases.ts';

const WAIT_MS = 100;

/** A slot of an attempt before may be older than the publication, and is made anew. */
export async function makeSlot(reader: Place, name: string): Promise<void> {
  await dropSlot(reader, name);
  await at(reader, (sql) => sql`select pg_create_logical_replication_slot(${name}, 'pgoutput')`);
}

/** Its walsender may need a moment to notice that the subscription is gone. */
export function dropSlot(reader: Place, name: string): Promise<void> {
  return at(reader, async (sql) => {
    for (let attempt = 0; ; attempt += 1) {
      const slots = await sql`select from pg_replication_slots where slot_name = ${name}`;
      if (slots.length === 0) return;
      try {
        await sql`select pg_drop_replication_slot(${name})`;
      } catch (error) {
        // In use, or gone meanwhile.
        if (!['55006', '42704'].includes(errorCode(error) ?? '') || attempt > 100) throw error;
      }
      await pause(WAIT_MS);
    }
  });
}
