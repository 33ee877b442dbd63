import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { rules, startFirestoreEmulator } from '../../../../testing/firestore/emulator.ts';
import { startIdentityStandIn } from '../../../../testing/firestore/identity-stand-in.ts';
import { openServerClient } from '../../../../testing/firestore/server-client.ts';
import { openForAll, openForEach } from '../../../../testing/open-for-tests.ts';
import { type Program, runProgram } from '../../../../testing/server/program.ts';
import { until } from '../../../../testing/until.ts';

const EVENT = 'final-2026';
const EMAIL = 'painel@example.org';
const TICKETS_ALONE = `rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents/events/{event}/tickets/{ticket} {
    allow read: if request.auth.token.email == '${EMAIL}';
  }
}
`;

const emulator = openForAll(() => startFirestoreEmulator());
const identity = openForAll(() => startIdentityStandIn());
const project = openForEach(async () => {
  const name = `palestra-${randomBytes(6).toString('hex')}`;
  const gates = openServerClient(emulator.host, name);
  const batch = gates.batch();
  for (let n = 0; n < 200; n += 1)
    batch.set(gates.doc(`events/${EVENT}/tickets/barcode-${n}`), {
      isValidTicket: true,
      entrou: n < 77,
      setor: '4',
    });
  await batch.commit();
  return { name };
});

/** As an operator runs it, with a dashboard's account. */
function probe(...options: readonly string[]): Program {
  return runProgram('firestore', ['probe', ...options], {
    FIRESTORE_PROJECT: project.name,
    EVENT_ID: EVENT,
    FIRESTORE_EMULATOR_HOST: emulator.host,
    FIREBASE_AUTH_EMULATOR_HOST: identity.host,
    FIREBASE_API_KEY: identity.apiKey,
    FIREBASE_EMAIL: EMAIL,
    FIREBASE_PASSWORD: 'secret',
  });
}

describe('npm run firestore -- probe', () => {
  test('reports what the emulator answers, and what its rules let an account read', async () => {
    identity.addAccount(EMAIL, 'secret');
    await emulator.setRules(project.name, TICKETS_ALONE);
    const program = probe('--seconds', '10');
    expect(await program.ended, program.stderr()).toBe(0);
    const report = program.stdout();
    for (const line of [
      'probed: an emulator, for ',
      'as: an account of the project',
      'versions: Triagem ',
      'probes: 5 asked: p50 ',
      'heartbeats: none on an idle stream',
      // The emulator knows no token.
      'RESET: yes',
      'tickets sent again that had not changed: all',
      "rules: tickets: allowed; sectors: refused; the event's document: refused; count(): allowed",
      'streams that ended: none',
      'result: a board can follow this project',
    ])
      expect(report).toContain(line);
    expect(report).toMatch(/count\(\) at a read time: (\d) of \1 equal/);
    for (const secret of [project.name, EVENT, EMAIL, 'barcode']) expect(report).not.toContain(secret);
    expect(program.stderr()).toContain('document reads, which tell how many tickets there are');
  });

  test('ends with 1 where the tickets may not be read', async () => {
    identity.addAccount(EMAIL, 'secret');
    await emulator.setRules(project.name, rules('false'));
    const program = probe();
    expect(await program.ended).toBe(1);
    expect(program.stdout()).toContain('rules: tickets: refused');
    expect(program.stdout()).toContain('result: the tickets may not be read');
  });

  test('reports what it has found when Ctrl-C ends it', async () => {
    identity.addAccount(EMAIL, 'secret');
    const program = probe();
    await until(() => expect(program.stderr()).toContain('5 of 60 probes asked'));
    expect(await program.end('SIGINT')).toBe(130);
    expect(program.stdout()).toContain('resume token: not tried');
  });
});
