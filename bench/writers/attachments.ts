import type { Scope } from '../benchmark.ts';
import { startContender } from '../contenders/contender.ts';
import { startProgram } from '../support/child-program.ts';
import { type BenchDatabase, openSql } from '../support/database.ts';
import { openFirstClient, startServer } from '../support/server.ts';

/** What follows the tickets while the gates write. The tables, their indexes and the log are the same for all. */
interface Attachment {
  readonly name: 'nothing' | 'board' | 'reader' | 'notify' | 'counter';
  readonly label: string;
  readonly attach: (database: BenchDatabase, scope: Scope) => Promise<void>;
}

const CHANNEL = 'admissions';

export const ATTACHMENTS: readonly Attachment[] = [
  { name: 'nothing', label: 'without the board', attach: async () => {} },
  {
    name: 'board',
    label: 'with the board',
    async attach({ observerUrl }, scope) {
      await openFirstClient(scope, await startServer(scope, observerUrl));
    },
  },
  {
    name: 'reader',
    label: 'with a reader of the log that throws it away',
    async attach({ observerUrl }, scope) {
      await startProgram(scope, '../contenders/floor-process.js').call('listen', observerUrl);
    },
  },
  {
    name: 'notify',
    label: 'with triggers + NOTIFY',
    // The usual way: whoever writes a change announces it in the same transaction.
    async attach({ admin, observerUrl }, scope) {
      await admin.unsafe(`
        create function notify_admission() returns trigger language plpgsql as $$
        begin
          perform pg_notify('${CHANNEL}', new.setor || ' ' || new.id);
          return null;
        end $$;
        create trigger notify_admission after update on tickets for each row execute function notify_admission()`);
      scope.stops.push(() => admin.unsafe('drop function notify_admission cascade'));
      await openSql(scope, observerUrl).listen(CHANNEL, () => {});
    },
  },
  {
    name: 'counter',
    label: 'with counter rows and NOTIFY',
    attach: async (database, scope) => void (await startContender(scope, database, 'counter')),
  },
];
