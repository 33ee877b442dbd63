import { expect, test } from 'vitest';
import { openForAll, openForEach } from '../open-for-tests.ts';
import { until } from '../until.ts';
import { openRawListener, ticketsTarget } from './raw-listener.ts';
import { openFirestoreDriver } from './source-driver.ts';
import { startFirestoreStandIn } from './stand-in.ts';

const INSIDE = { isValidTicket: true, entrou: true, setor: '4' };

const standIn = openForAll(() => startFirestoreStandIn());
const driver = openForEach(() =>
  openFirestoreDriver(standIn, () => {
    throw new Error('this test opens no source');
  }),
);

test('a driver writes each commit as one, and counts the connections of sources alone', async () => {
  const ids = Array.from({ length: 300 }, (_, n) => `t${n}`);
  const listener = openRawListener(driver.settings.emulatorHost ?? '', driver.project);
  listener.add({ targetId: 2, ...ticketsTarget(driver.project, 'e') });
  const snapshots = (): number =>
    listener.messages.filter(({ targetChange }) => targetChange?.targetIds?.length === 0).length;
  await until(() => expect(snapshots()).toBe(1));
  await driver.commit(ids.map((id) => ({ eventId: 'e', id, ticket: INSIDE })));
  await until(() => expect(snapshots()).toBe(2));
  expect(listener.messages).toHaveLength(3 + 300 + 1);
  await driver.removeAll();
  await until(() => expect(snapshots()).toBe(3));
  expect(listener.messages).toHaveLength(3 + 300 + 1 + 300 + 1);
  expect(await driver.connections()).toBe(1);
  driver.cut();
  await until(async () => expect(await driver.connections()).toBe(0));
  await until(() => expect(listener.error).toBeDefined());
  await driver.commit([{ eventId: 'e', id: 'a', ticket: INSIDE }]);
});
