import { status } from '@grpc/grpc-js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startIdentityStandIn } from '../../../testing/firestore/identity-stand-in.ts';
import { startFirestoreStandIn } from '../../../testing/firestore/stand-in.ts';
import { PATIENT_LIMITS } from '../../../testing/firestore/source-limits.ts';
import { INSIDE, openWatchedProject, OUTSIDE } from '../../../testing/firestore/watched-project.ts';
import { makeTestFolder } from '../../../testing/folder.ts';
import { openForEach } from '../../../testing/open-for-tests.ts';
import { until } from '../../../testing/until.ts';
import { Credentials } from './credentials.ts';
import type { FirestoreCredentials } from './firestore-settings.ts';

const [EMAIL, PASSWORD] = ['painel@clube.example', 'segredo-do-painel'];

const identity = openForEach(async () => {
  const opened = await startIdentityStandIn();
  opened.addAccount(EMAIL, PASSWORD);
  return opened;
});
const standIn = openForEach(() => startFirestoreStandIn({ identity }));

function account(changed: { apiKey?: string; password?: string } = {}): FirestoreCredentials {
  return { kind: 'account', apiKey: identity.apiKey, email: EMAIL, password: PASSWORD, ...changed };
}

/** Only this account may read the project. */
async function openProject(credentials: FirestoreCredentials) {
  const project = await openWatchedProject(standIn, { credentials, authEmulatorHost: identity.host });
  standIn.allowReading(project.driver.project, EMAIL);
  await project.commit({ a: OUTSIDE, b: INSIDE });
  return project;
}

test('an account reads what the rules let it, and continues with renewed tokens', async () => {
  const project = await openProject(account());
  const { observer, source, expectExact } = project.watch({ ...PATIENT_LIMITS, tokenUseMs: 150 });
  await expectExact();
  for (let n = 0; identity.requests.refreshes < 5; n += 1)
    await project.commit({ a: n % 2 === 0 ? INSIDE : OUTSIDE, [`t${n % 7}`]: INSIDE });
  await expectExact();
  // A machine without a processor for us makes counts old, which no token is the cause of.
  const ended = observer.stales.filter(({ reason }) => reason !== 'lag');
  expect([identity.requests.signIns, observer.snapshots.length, ended]).toEqual([1, 1, []]);
  await until(() => expect(standIn.streams).toBe(1));
  expect(source.warning).toBeUndefined();
});

test.each<[string, () => FirestoreCredentials, RegExp]>([
  [
    'another password',
    () => account({ password: 'outro' }),
    /^Firebase refuses the sign-in \(INVALID_LOGIN_CREDENTIALS\): correct FIREBASE_EMAIL and FIREBASE_PASSWORD$/,
  ],
  [
    'another API key',
    () => account({ apiKey: 'outra' }),
    /^Firebase refuses the API key .*: correct FIREBASE_API_KEY$/,
  ],
])('%s ends the run, in words without a secret', async (_what, credentials, message) => {
  const project = await openProject(credentials());
  const watch = project.watch();
  await until(() => expect(watch.failure?.message).toMatch(message));
  expect(JSON.stringify([watch.log, watch.failure?.message])).not.toMatch(/segredo|outr[oa]|painel@/);
  expect(watch.observer.snapshots).toEqual([]);
});

test('an account that the rules refuse ends the run', async () => {
  const project = await openProject(account());
  standIn.allowReading(project.driver.project, 'outra@clube.example');
  const watch = project.watch();
  await until(() =>
    expect(watch.failure?.message).toMatch(
      /^Firestore refuses to let the collection of tickets be read .*: let the security rules allow it to the account of FIREBASE_EMAIL, or correct FIRESTORE_COLLECTION$/,
    ),
  );
});

test('an account that is disabled makes the counts stale when its token is to be renewed, until it is enabled', async () => {
  const project = await openProject(account());
  const { expectExact, expectStale } = project.watch({ tokenUseMs: 500, maxRefusedDelayMs: 200 });
  await expectExact();
  identity.disable(EMAIL);
  await expectStale(/^The account of FIREBASE_EMAIL is disabled \(USER_DISABLED\): enable it/);
  await project.commit({ a: INSIDE });
  identity.enable(EMAIL);
  await expectExact();
});

test('a password that was changed makes the counts stale, with cause and fix', async () => {
  const project = await openProject(account());
  const { expectExact, expectStale } = project.watch({ tokenUseMs: 500, maxRefusedDelayMs: 200 });
  await expectExact();
  identity.changePassword(EMAIL, 'novo');
  await expectStale(/^Firebase refuses the sign-in/);
  identity.changePassword(EMAIL, PASSWORD);
  await expectExact();
});

test('tokens that end before their time are replaced', async () => {
  const project = await openProject(account());
  const { expectExact, observer } = project.watch();
  await expectExact();
  identity.expireTokens();
  await project.commit({ a: INSIDE });
  await expectExact();
  expect(observer.stales.length).toBeGreaterThan(0);
});

test('streams go on while the identity service is away, as long as the token is good', async () => {
  const project = await openProject(account());
  const { expectExact, observer, log } = project.watch({ ...PATIENT_LIMITS, tokenUseMs: 200 });
  await expectExact();
  identity.failWith(503);
  await until(() =>
    expect(log.map(({ msg }) => msg)).toContainEqual(
      expect.stringMatching(/^No new token yet, and without one the counts stop: /),
    ),
  );
  standIn.faults.endStreams(status.UNAVAILABLE);
  await project.commit({ a: INSIDE });
  await expectExact();
  expect(observer.stales).toEqual([]);
});

test('an identity service that does not answer is waited for', async () => {
  const project = await openProject(account());
  identity.failWith(503);
  const { expectExact, expectStale } = project.watch();
  await expectStale(/^Firebase cannot sign the account in now/);
  identity.failWith(undefined);
  await expectExact();
});

/** Not at the emulator, where a service account is its owner: at this address it is a service of Google. */
test('a service account gets tokens with its key', async () => {
  const settings = {
    kind: 'firestore',
    project: 'triagem-test',
    database: '(default)',
    collection: 'events/{event}/tickets',
    credentials: { kind: 'service-account', file: identity.serviceAccountFile },
    emulatorHost: undefined,
    authEmulatorHost: undefined,
    dataDir: undefined,
  } as const;
  const credentials = new Credentials(settings, { tokenUseMs: 60_000 });
  const { signal } = new AbortController();
  const { value } = await credentials.token(signal);
  expect(identity.holderOf(value)).toEqual({ kind: 'service-account' });
  expect((await credentials.token(signal)).value).toBe(value);
  expect((await credentials.renew(signal)).value).not.toBe(value);

  const file = join(makeTestFolder(), 'key.json');
  const other = { ...settings, credentials: { kind: 'service-account', file } } as const;
  const refused = new Credentials(other, { tokenUseMs: 60_000 });
  await expect(refused.token(signal)).rejects.toThrow(
    /^GOOGLE_APPLICATION_CREDENTIALS names .*, which cannot be read: /,
  );
  writeFileSync(file, JSON.stringify({ type: 'authorized_user' }));
  await expect(refused.token(signal)).rejects.toThrow(/, which is no key of a service account: /);
});
