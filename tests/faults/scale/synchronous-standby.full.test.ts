import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { withConnection } from '../../../database/with-connection.ts';
import { openScreen } from '../../../testing/browser/screen.ts';
import { insertTickets, setEntered } from '../../../testing/database/database.ts';
import { startTestPair } from '../../../testing/database/standby.ts';
import { startServerProcess } from '../../../testing/server/test-server.ts';
import { until } from '../../../testing/until.ts';

/** Longer than any commit of a test takes. */
const UNANSWERED_MS = 3_000;

/** A board that counts one entry of three tickets, and a named standby that is gone: commits wait for it. */
async function startWaiting() {
  const { primary, standby } = await startTestPair();
  const { admin, gates, observerUrl, adminUrl } = primary.database;
  const waitFor = async (names: string): Promise<void> => {
    await admin.unsafe(`alter system set synchronous_standby_names = '${names}'`);
    await admin`select pg_reload_conf()`;
  };
  await insertTickets(gates, { outside: { a: '4', b: '4', c: '4' } });
  await waitFor('walreceiver');
  const screen = openScreen((await startServerProcess(observerUrl)).url);
  await until(() => expect(screen.live).toBe(true));
  await setEntered(gates, 'a', true);
  await until(() => expect([screen.live, screen.total]).toEqual([true, 1]));
  await standby.signalAll('SIGKILL');
  return { adminUrl, gates, screen, waitFor };
}

test('a primary whose standby is named as synchronous answers no gate while that is away, and what waits is counted; of any name, the board itself passes for one', async () => {
  const { gates, screen, waitFor } = await startWaiting();
  let answers = 0;
  const answered = ['b', 'c'].map(async (id) => {
    await setEntered(gates, id, true);
    answers += 1;
  });
  await until(() => expect([screen.live, screen.total]).toEqual([true, 3]));
  await pause(UNANSWERED_MS);
  expect(answers).toBe(0);
  await waitFor('*');
  await Promise.all(answered);
});

test('what a transaction that alters the publication leaves out is missed by no screen, though it waits for a standby and others do not see it yet', async () => {
  const { adminUrl, screen, waitFor } = await startWaiting();
  // On a connection of its own: another one has to end the wait.
  const altering = withConnection(adminUrl, (own) =>
    own.begin(async (sql) => {
      await sql`alter publication triagem drop table tickets`;
      await sql`update tickets set entrou = true where event_id = ${DEFAULT_EVENT_ID} and id = 'b'`;
      await sql`alter publication triagem add table tickets (event_id, id, is_valid_ticket, entrou, setor)`;
      await sql`update tickets set entrou = true where event_id = ${DEFAULT_EVENT_ID} and id = 'c'`;
    }),
  );
  await until(() => expect(screen.live).toBe(false));
  await waitFor('');
  await altering;
  await until(() => expect([screen.live, screen.total]).toEqual([true, 3]), 30_000);
  expect(screen.displayed.map(({ total }) => total)).not.toContain(2);
});
