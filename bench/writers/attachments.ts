import type postgres from 'postgres';
import type { BenchDatabase } from '../support/bench-database.ts';
import { openSql } from '../support/bench-database.ts';
import { startChildProgram } from '../support/child-program.ts';
import { firstViewerOf } from '../support/first-viewer.ts';
import { startServer } from '../support/server-process.ts';
import type { Stop } from '../support/stops.ts';

/** What follows the tickets while the gates write. The tables, their indexes and the log are the same for all. */
export interface Attachment {
  readonly name: 'nothing' | 'board' | 'reader' | 'notify';
  /** Pushes what takes it away again. */
  attach(database: BenchDatabase, signal: AbortSignal, stops: Stop[]): Promise<void>;
}

const CHANNEL = 'admissions';

export const ATTACHMENTS: readonly Attachment[] = [
  { name: 'nothing', attach: async () => {} },
  {
    name: 'board',
    async attach({ observerUrl }, signal, stops) {
      const server = await startServer(observerUrl);
      stops.push(() => server.stop());
      const { viewer } = await firstViewerOf(server, signal);
      stops.push(() => viewer.leave());
    },
  },
  {
    name: 'reader',
    async attach({ observerUrl }, signal, stops) {
      const reader = startChildProgram('../writers/reader-process.js', { signal });
      stops.push(() => reader.stop());
      await reader.ask('read', observerUrl);
    },
  },
  {
    name: 'notify',
    async attach({ admin, observerUrl }, signal, stops) {
      await addTrigger(admin);
      stops.push(() => admin.unsafe('drop function notify_admission cascade'));
      const listener = openSql(observerUrl, signal);
      stops.push(() => listener.end({ timeout: 0 }));
      await listener.listen(CHANNEL, () => {});
    },
  },
];

/** The usual way: whoever writes a change announces it in the same transaction. */
async function addTrigger(admin: postgres.Sql): Promise<void> {
  await admin.unsafe(`
    create function notify_admission() returns trigger language plpgsql as $$
    begin
      perform pg_notify('${CHANNEL}', new.setor || ' ' || new.id);
      return null;
    end $$`);
  await admin.unsafe(`
    create trigger notify_admission after update on tickets for each row execute function notify_admission()`);
}
