import { expect, test } from 'vitest';
import { openForAll } from '../open-for-tests.ts';
import { until } from '../until.ts';
import { describeAgreement } from './agreement.ts';
import { OPEN_RULES, rules, rulesForAccount, startFirestoreEmulator } from './emulator.ts';
import { startIdentityStandIn } from './identity-stand-in.ts';
import { documentTarget, openRawListener, ticketsTarget } from './raw-listener.ts';
import { openServerClient } from './server-client.ts';
import { startFirestoreStandIn } from './stand-in.ts';

const emulator = openForAll(() => startFirestoreEmulator({ initialRules: OPEN_RULES }));

describeAgreement('the emulator', () =>
  Promise.resolve({
    host: emulator.host,
    isConsistent: false,
    allowReading: (project, email) =>
      emulator.setRules(project, email === undefined ? rules('false') : rulesForAccount(email)),
  }),
);

/** What a listener is sent at each step that the emulator, too, answers with what has changed alone. */
async function transcriptOf(
  host: string,
  project: string,
  refuse: () => Promise<void>,
): Promise<readonly (readonly string[])[]> {
  const gates = openServerClient(host, project);
  const ticket = (id: string, event = 'e') => gates.doc(`events/${event}/tickets/${id}`);
  const listener = openRawListener(host, project);
  const target = (values = {}) => ticketsTarget(project, 'e', values);
  const transcript: string[][] = [];
  const step = async (run: () => unknown, last: string, from = listener): Promise<void> => {
    const sent: string[] = [];
    transcript.push(sent);
    await run();
    await until(() => {
      sent.push(...from.take());
      expect(sent).toContain(last);
    });
  };
  const snapshot = 'NO_CHANGE at a time';
  await step(() => listener.add({ targetId: 1, ...target() }), snapshot);
  listener.remove(1);
  await step(() => ticket('a').set({ entrou: true, setor: '4' }), 'REMOVE 1');
  await ticket('b').set({ entrou: false, setor: '4' });
  await ticket('c').set({ entrou: true, setor: 5 });
  const entrou = { booleanValue: true };
  const setor = { stringValue: '4' };
  for (const [index, values] of [
    {},
    { entrou },
    { entrou, setor },
    { setor: { stringValue: 'probe' } },
  ].entries()) {
    const targetId = 2 + 2 * index;
    await step(() => listener.add({ targetId, ...target(values) }), snapshot);
    await step(() => listener.remove(targetId), `REMOVE ${targetId}`);
  }
  const names = ['events/e/tickets/a', 'events/e/tickets/none', 'events/e'];
  for (const [index, name] of names.entries())
    await step(() => listener.add({ targetId: 20 + index, ...documentTarget(project, name) }), snapshot);
  await step(() => ticket('a').update({ entrou: false }), snapshot);
  await step(() => ticket('none').set({ entrou: true }), snapshot);
  await step(() => gates.doc('events/e').set({ title: 'A × B' }), snapshot);
  await ticket('a', 'another').set({ entrou: true });
  await step(() => ticket('a').delete(), snapshot);
  await step(() => gates.doc('events/e').delete(), snapshot);
  const token = Buffer.from('no token of this service');
  await step(() => listener.add({ targetId: 30, resumeToken: token, ...target({ entrou }) }), snapshot);
  const page = openRawListener(host, project, { token: undefined });
  await step(() => page.add({ targetId: 4, ...target() }), snapshot, page);
  await refuse();
  await step(() => page.add({ targetId: 2, ...target() }), 'REMOVE 2 code 7', page);
  return transcript;
}

test('the stand-in and the emulator send the same messages where the emulator sends no more than has changed', async () => {
  const project = 'triagem-transcript';
  const standIn = await startFirestoreStandIn({ identity: await startIdentityStandIn() });
  const played = await transcriptOf(standIn.host, project, () =>
    Promise.resolve(standIn.allowReading(project, undefined)),
  );
  const real = await transcriptOf(emulator.host, project, () => emulator.setRules(project, rules('false')));
  expect(played).toEqual(real);
  expect(played.flat().length).toBeGreaterThan(50);
});
