import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { MAX_DOCUMENTS_BYTES } from '../../domain/event-state.ts';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';

/** Together more than what lies between two sockets can hold. */
const COUNT = 30;
/** Longer than frames are held apart (frame-pacing.ts), so that each is one of its own. */
const PAUSE_MS = 120;

/**
 * Sector documents as large as pages are sent, one after the other, so that nothing more fits into the connection of a client that
 * does not read; then a small one.
 */
export async function sendLargeDocuments(sql: postgres.Sql): Promise<void> {
  for (let document = 0; document <= COUNT; document += 1) {
    const length = document < COUNT ? MAX_DOCUMENTS_BYTES - 100 : 0;
    await sql`
      insert into sectors (event_id, code, data)
      values (${DEFAULT_EVENT_ID}, '4', jsonb_build_array(${document}::int, repeat('x', ${length}::int)))
      on conflict (event_id, code) do update set data = excluded.data`;
    await pause(PAUSE_MS);
  }
}
