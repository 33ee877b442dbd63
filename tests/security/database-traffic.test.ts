import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { startNetwork } from '../../testing/server/network.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const NAME = 'Fulana de Tal';
const CPF = '123.456.789-09';
const TICKET = 'an-observed-ticket';

const database = openForAll(createTestDatabase);
const recorder = openForAll(() => startNetwork(database.observerUrl, { records: true }));
const server = openForAll(async () => {
  await database.admin`alter table tickets add column nome text, add column cpf text`;
  await enter(0);
  return startTestServer({ observerUrl: recorder.url });
});

async function enter(number: number): Promise<void> {
  await database.gates`
    insert into tickets (event_id, id, is_valid_ticket, entrou, setor, nome, cpf)
    values (${DEFAULT_EVENT_ID}, ${`${TICKET}-${number}`}, true, true, '4', ${NAME}, ${CPF})`;
}

test('no name and no CPF reaches the server, and it asks for none: not in a snapshot, not in a change', async () => {
  const viewer = await openPageClient(server.url);
  await until(() => expect([viewer.live, viewer.counts?.total]).toEqual([true, 1]));
  await enter(1);
  await enter(2);
  await until(() => expect(viewer.counts?.total).toBe(3));
  await database.gates`update tickets set nome = ${`${NAME} Filha`}, cpf = ${CPF} where id = ${`${TICKET}-1`}`;
  await database.gates`update tickets set setor = '8', nome = ${NAME} where id = ${`${TICKET}-1`}`;
  await until(() => expect(viewer.counts?.sectors['8']).toBe(1));
  await database.gates`delete from tickets where id = ${`${TICKET}-2`}`;
  await until(() => expect(viewer.counts?.total).toBe(2));

  // The recorder does see what is read, and what is asked.
  expect(recorder.answers).toContain(`${TICKET}-1`);
  expect(recorder.requests).toMatch(/START_REPLICATION SLOT/);
  expect(recorder.requests).toMatch(/from public\.tickets/);
  for (const bytes of [recorder.requests, recorder.answers]) {
    expect(bytes).not.toContain(NAME);
    expect(bytes).not.toContain(CPF);
    expect(bytes).not.toMatch(/\bnome\b|\bcpf\b/);
  }
  expect(recorder.requests).not.toMatch(
    /select \* from (public\.)?tickets|insert into|delete from|update (public\.)?tickets|truncate table/i,
  );
});
