import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closeOnce } from '../../../testing/close-once.ts';
import { startFirestoreEmulator } from '../../../testing/firestore/emulator.ts';
import { openServerClient } from '../../../testing/firestore/server-client.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { PROJECT_ROOT } from '../../../testing/project-root.ts';
import { startIdentityStandIn } from './identity-stand-in.ts';
import { admitAccount } from './rules.ts';

const PROJECT = 'demo-rules';
const RULES = readFileSync(join(PROJECT_ROOT, 'deploy/firestore.rules'), 'utf8');
const emulator = openForAll(() => startFirestoreEmulator());

/** The statuses of what a client with this token asks of the emulator. */
async function asked(token: string | undefined, method: string, paths: readonly string[]): Promise<number[]> {
  const documents = `${emulator.url}/v1/projects/${PROJECT}/databases/(default)/documents`;
  const answers = paths.map((path) =>
    fetch(`${documents}/${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(method === 'PATCH' ? { body: JSON.stringify({ fields: { entrou: { booleanValue: true } } }) } : {}),
    }),
  );
  return (await Promise.all(answers)).map(({ status }) => status);
}

test('the rules for the board let its account alone read tickets, sectors and the event, and nobody write', async () => {
  const identity = await startIdentityStandIn(PROJECT);
  closeOnce(() => identity.stop());
  const tokenOf = async (email: string): Promise<string> => {
    const answer = await fetch(
      `http://${identity.host}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=demo`,
      { method: 'POST', body: JSON.stringify({ email, password: 'senha' }) },
    );
    return ((await answer.json()) as { readonly idToken: string }).idToken;
  };
  const uid = await identity.createAccount('painel@triagem.local', 'senha');
  await identity.createAccount('outro@triagem.local', 'senha');
  await emulator.setRules(PROJECT, admitAccount(RULES, uid));
  const event = openServerClient(emulator.host, PROJECT).doc('events/final');
  await event.set({ title: 'Final' });
  await event.collection('tickets').doc('t1').set({ isValidTicket: true, entrou: false, setor: '4' });
  await event
    .collection('sectors')
    .doc('4')
    .set({ gates: ['N1'] });
  await event.collection('staff').doc('ana').set({ phone: '1' });

  const read = ['events/final', 'events/final/tickets', 'events/final/sectors'];
  const more = ['events', 'events/final/staff', 'events/final/tickets/t1'];
  const written = ['events/final', 'events/final/tickets/t1', 'events/final/sectors/4'];
  const board = await tokenOf('painel@triagem.local');
  expect(await asked(board, 'GET', read)).toEqual([200, 200, 200]);
  expect(await asked(board, 'GET', more)).toEqual([403, 403, 403]);
  for (const token of [await tokenOf('outro@triagem.local'), undefined])
    expect(await asked(token, 'GET', [...read, ...more])).toEqual([403, 403, 403, 403, 403, 403]);
  for (const method of ['PATCH', 'DELETE'])
    expect(await asked(board, method, written)).toEqual([403, 403, 403]);
});
