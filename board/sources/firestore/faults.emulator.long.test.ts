import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { rules, startFirestoreEmulator } from '../../../testing/firestore/emulator.ts';
import { startIdentityStandIn } from '../../../testing/firestore/identity-stand-in.ts';
import {
  INSIDE,
  openWatchedProject,
  OUTSIDE,
  type Watch,
  type WatchedProject,
} from '../../../testing/firestore/watched-project.ts';
import { duration, repetitions } from '../../../testing/durations.ts';
import { openForAll, openForEach } from '../../../testing/open-for-tests.ts';
import { startStopwatch } from '../../../testing/stopwatch.ts';
import { until } from '../../../testing/until.ts';
import { FIRESTORE_LIMITS } from './limits.ts';

const emulator = openForAll(() => startFirestoreEmulator());
const project = openForEach(() => openWatchedProject(emulator));

async function watch(of: WatchedProject = project, limits = {}): Promise<Watch> {
  await of.commit({ a: OUTSIDE, b: INSIDE });
  const watched = of.watch(limits);
  await watched.expectExact();
  return watched;
}

/** Those of the field. */
const FIELD = FIRESTORE_LIMITS;
const STALE_WITHIN_MS = 5_000;
const LIVE_WITHIN_MS = 3_000;
const [SWALLOWED_MS, FROZEN_MS] = [duration(25_000, 6_000), duration(10_000, 6_000)];

test('a black hole is stale after five, and live again within three of its end', async () => {
  const { expectExact, expectStale } = await watch(project, FIELD);
  const { network } = project.driver;
  const begunAtMs = performance.now();
  const lost = startStopwatch();
  network.swallow();
  await project.commit({ a: INSIDE });
  await expectStale(/./);
  expect(await lost.elapsedMs()).toBeLessThan(STALE_WITHIN_MS);
  await until(() => expect(performance.now()).toBeGreaterThan(begunAtMs + SWALLOWED_MS), 60_000);
  await expectStale(/^No answer comes from /);
  await project.commit({ c: INSIDE });
  const back = startStopwatch();
  network.restore();
  await expectExact();
  expect(await back.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS);
});

test('an emulator that stands still is stale after five, and live again within three', async () => {
  const { expectExact, expectStale } = await watch(project, FIELD);
  const begunAtMs = performance.now();
  const lost = startStopwatch();
  emulator.freeze();
  await expectStale(/./);
  expect(await lost.elapsedMs()).toBeLessThan(STALE_WITHIN_MS);
  await until(() => expect(performance.now()).toBeGreaterThan(begunAtMs + FROZEN_MS), 60_000);
  const back = startStopwatch();
  emulator.thaw();
  await expectExact();
  expect(await back.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS);
});

test('a killed emulator is stale, with its reason, and is followed again with its data and without', async () => {
  const { expectExact, expectStale, observer } = await watch();
  const exported = await emulator.exportData(project.driver.project);
  await emulator.kill();
  await expectStale(
    /^Nobody answers at 127\.0\.0\.1:\d+ .*: start the emulator, or correct FIRESTORE_EMULATOR_HOST$/,
  );
  await emulator.start(exported);
  await expectExact();
  await project.commit({ a: INSIDE });
  await expectExact();
  await emulator.kill();
  await emulator.start();
  project.forget();
  await expectExact();
  expect(observer.counts).toEqual({});
  await project.commit({ z: INSIDE });
  await expectExact();
});

test('rules that refuse the collection half-way make it stale with cause and fix, until they allow it', async () => {
  const identity = await startIdentityStandIn();
  const [email, password] = ['painel@clube.example', 'segredo'];
  identity.addAccount(email, password);
  const own = await openWatchedProject(emulator, {
    credentials: { kind: 'account', apiKey: identity.apiKey, email, password },
    authEmulatorHost: identity.host,
  });
  await emulator.setRules(own.driver.project, rules('true'));
  const { expectExact, expectStale } = await watch(own, { maxRefusedDelayMs: 500 });
  await emulator.setRules(own.driver.project, rules('false'));
  await own.commit({ a: INSIDE });
  await expectStale(
    /^Firestore refuses to let the collection of tickets be read .*: let the security rules allow it/,
  );
  await emulator.setRules(own.driver.project, rules('true'));
  await expectExact();
});

test('a collection that is deleted is empty, and a connection that is cut in mid-snapshot begins again', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 450 }, (_, n) => [`t${n}`, n % 3 === 0 ? INSIDE : OUTSIDE]),
  );
  await project.commit(many);
  project.driver.network.cutAfter(30_000);
  const { expectExact, expectStale, observer } = project.watch();
  await expectStale(/./);
  await until(() => expect(project.driver.network.cuts).toBeGreaterThan(1));
  expect(observer.snapshots).toEqual([]);
  project.driver.network.cutAfter(undefined);
  await expectExact();
  await emulator.clear(project.driver.project);
  project.forget();
  await expectExact();
  expect(observer.counts).toEqual({});
});

test('a bulk write is exact at its end, and nothing of it is overlooked', async () => {
  const { expectExact, observer } = await watch(project, FIELD);
  const batches = repetitions(40, 6);
  for (let batch = 0; batch < batches; batch += 1) {
    const ids = Array.from({ length: 500 }, (_, n) => `t${batch * 500 + n}`);
    await project.commit(Object.fromEntries(ids.map((id, n) => [id, n % 3 === 0 ? INSIDE : OUTSIDE])));
  }
  // The emulator gets through 20,000 documents in 15 s, and takes longer beside other programs.
  await expectExact(60_000);
  // One reading may hold several commits, and none holds half of one.
  const sizes = observer.commits.map(({ length }) => length % 500);
  expect(new Set(sizes)).toEqual(new Set([0]));
});
