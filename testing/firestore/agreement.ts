import { randomBytes } from 'node:crypto';
import { connectAuthEmulator, initializeAuth, signInWithEmailAndPassword } from '@firebase/auth';
import * as web from '@firebase/firestore';
import { AggregateField, type Firestore, type Query } from '@google-cloud/firestore';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Ticket } from '../../domain/tally.ts';
import { closeOnce } from '../close-once.ts';
import { type Network, startNetwork } from '../server/network.ts';
import { openForAll, openForEach } from '../open-for-tests.ts';
import { until } from '../until.ts';
import { type IdentityStandIn, startIdentityStandIn } from './identity-stand-in.ts';
import { openServerClient } from './server-client.ts';
import { openWebClient } from './web-client.ts';

/** The emulator or the stand-in, as the tests of both need it. */
export interface FirestorePlace {
  readonly host: string;
  /** Whether the targets of one stream are those of the same instant: the emulator reads one after the other. */
  readonly isConsistent: boolean;
  /** Lets only this account read a project; `undefined`: nobody. */
  allowReading(project: string, email: string | undefined): Promise<void>;
}

/** The libraries wait between their attempts to connect, longer each time. */
const RECONNECT_LIMIT_MS = 60_000;

type Tickets = ReadonlyMap<string, Ticket>;

/** Returns the fields of each selected ticket, as one text. */
function textOf(tickets: Iterable<readonly [string, Partial<Ticket>]>): string {
  return [...tickets]
    .map(([id, { isValidTicket, entrou, setor }]) => JSON.stringify([id, isValidTicket, entrou, setor]))
    .toSorted()
    .join(' ');
}

const SELECTIONS = {
  all: () => true,
  admitted: ({ entrou }: Ticket) => entrou,
  'admitted in 4': ({ entrou, setor }: Ticket) => entrou && setor === '4',
} as const;

type SelectionName = keyof typeof SELECTIONS;

const NAMES = Object.keys(SELECTIONS) as SelectionName[];

const ticket = fc.record({
  isValidTicket: fc.boolean(),
  entrou: fc.boolean(),
  setor: fc.constantFrom('4', '5', ''),
});
const write = fc.record({
  id: fc.integer({ min: 1, max: 12 }),
  ticket: fc.option(ticket, { nil: undefined }),
});
const commits = fc.array(fc.array(write, { minLength: 1, maxLength: 5 }), { minLength: 10, maxLength: 20 });

/** Google's and Firebase's own libraries hold what was written, whatever it is: at the emulator and at the stand-in alike. */
export function describeAgreement(
  kind: string,
  openPlace: (identity: IdentityStandIn) => Promise<FirestorePlace>,
): void {
  describe(`the official libraries and ${kind}`, () => {
    const identity = openForAll(() => startIdentityStandIn());
    const place = openForAll(() => openPlace(identity));

    interface Project {
      readonly name: string;
      /** Between the clients that listen and the place; gates write past it. */
      readonly network: Network;
      readonly gates: Firestore;
    }

    const project = openForEach(async (): Promise<Project> => {
      const name = `triagem-${randomBytes(6).toString('hex')}`;
      const network = await startNetwork(`http://${place.host}`);
      return { name, network, gates: openServerClient(place.host, name) };
    });

    test('have the documents of each commit at once, and all of them again after a cut', async () => {
      const listener = openServerClient(`127.0.0.1:${project.network.port}`, project.name);
      const page = openWebClient(`127.0.0.1:${project.network.port}`, project.name);
      let run = 0;
      await fc.assert(
        fc.asyncProperty(commits, commits, async (connected, meanwhile) => {
          run += 1;
          const path = `events/e${run}/tickets`;
          const history: Tickets[] = [new Map()];
          const commitAll = async (all: typeof connected, afterEach?: () => Promise<void>): Promise<void> => {
            for (const writes of all) {
              const batch = project.gates.batch();
              const tickets = new Map(history.at(-1));
              for (const { id, ticket: after } of writes) {
                const document = project.gates.doc(`${path}/t${id}`);
                if (after) batch.set(document, after);
                else batch.delete(document);
                if (after) tickets.set(`t${id}`, after);
                else tickets.delete(`t${id}`);
              }
              await batch.commit();
              history.push(tickets);
              await afterEach?.();
            }
          };
          const views = [...serverViews(listener, path), ...pageViews(page.firestore, path)];
          const untilEqual = (): Promise<void> =>
            until(() => {
              for (const { library, name, texts } of views)
                expect([library, name, texts.at(-1)]).toEqual([
                  library,
                  name,
                  expected(history.at(-1), name),
                ]);
            }, RECONNECT_LIMIT_MS);
          await untilEqual();
          // The emulator may send a later state with an earlier read time, which a page ignores for good.
          await commitAll(connected, place.isConsistent ? undefined : untilEqual);
          await untilEqual();
          project.network.cut();
          await commitAll(meanwhile);
          project.network.restore();
          await untilEqual();
          for (const { library, name, texts } of views)
            if (library === 'server' || place.isConsistent) expectInOrder(texts, history, name);
        }),
        { numRuns: 1, endOnFailure: true },
      );
    });

    test('count what is there, and what was there', async () => {
      const tickets = project.gates.collection('events/e/tickets');
      const admitted = tickets.where('entrou', '==', true).where('setor', '==', '4');
      await tickets.doc('a').set({ entrou: true, setor: '4' });
      await tickets.doc('b').set({ entrou: 'true', setor: '4' });
      const { writeTime } = await tickets.doc('c').set({ entrou: true, setor: 4 });
      expect((await admitted.count().get()).data()).toEqual({ count: 1 });
      await tickets.doc('c').update({ setor: '4' });
      await tickets.doc('a').delete();
      await tickets.doc('b').update({ entrou: true });
      expect((await admitted.count().get()).data()).toEqual({ count: 2 });
      const before = await project.gates.runTransaction(
        (transaction) => transaction.get(admitted.aggregate({ count: AggregateField.count() })),
        { readOnly: true, readTime: writeTime },
      );
      expect(before.data()).toEqual({ count: 1 });
      const { firestore } = openWebClient(place.host, project.name);
      const all = await web.getCountFromServer(web.collection(firestore, 'events/e/tickets'));
      expect(all.data()).toEqual({ count: 2 });
    });

    test('admit each ticket once, however many gates try at the same time', async () => {
      const document = project.gates.doc('events/e/tickets/a');
      await document.set({ entrou: false, setor: '4' });
      const admit = (gate: number): Promise<boolean> =>
        project.gates.runTransaction(async (transaction) => {
          const current = await transaction.get(document);
          if (current.get('entrou') === true) return false;
          transaction.update(document, { entrou: true, gate });
          return true;
        });
      const admissions = await Promise.all([1, 2, 3, 4].map(admit));
      expect(admissions.filter(Boolean)).toHaveLength(1);
      expect((await document.get()).data()).toMatchObject({
        entrou: true,
        gate: admissions.indexOf(true) + 1,
      });
    });

    test('refuse writes whose condition does not hold, and keep the time of a write without a change', async () => {
      const document = project.gates.doc('events/e/tickets/a');
      await expect(document.update({ entrou: true })).rejects.toMatchObject({ code: 5 });
      const { writeTime } = await document.create({ entrou: true, setor: '4', portão: { nome: 'N1' } });
      await expect(document.create({ entrou: true })).rejects.toMatchObject({ code: 6 });
      await document.set({ setor: '4', portão: { nome: 'N1' }, entrou: true });
      expect((await document.get()).updateTime).toEqual(writeTime);
      await document.update({ 'portão.nome': 'N2' });
      const stale = document.delete({ lastUpdateTime: writeTime });
      await expect(stale).rejects.toMatchObject({ code: 9 });
      expect((await document.get()).data()).toEqual({ entrou: true, setor: '4', portão: { nome: 'N2' } });
      const writer = project.gates.bulkWriter();
      const writes = Array.from({ length: 30 }, (_, n) => writer.set(document.parent.doc(`b${n}`), { n }));
      await writer.close();
      await Promise.all(writes);
      expect((await document.parent.get()).size).toBe(31);
      expect(await project.gates.getAll(document, document.parent.doc('none'))).toMatchObject([
        { exists: true },
        { exists: false },
      ]);
    });

    test('let the account of a page read for as long as the rules do, and never write', async () => {
      const email = `${project.name}@example.org`;
      identity.addAccount(email, 'secret');
      await place.allowReading(project.name, email);
      await project.gates.doc('events/e/tickets/a').set({ entrou: true });
      const { app, firestore } = openWebClient(place.host, project.name, identity.apiKey);
      const auth = initializeAuth(app);
      connectAuthEmulator(auth, `http://${identity.host}`, { disableWarnings: true });
      const tickets = web.collection(firestore, 'events/e/tickets');
      await signInWithEmailAndPassword(auth, email, 'secret');
      const sizes: number[] = [];
      const errors: string[] = [];
      web.onSnapshot(
        tickets,
        ({ size }) => sizes.push(size),
        ({ code }) => errors.push(code),
      );
      await until(() => expect(sizes.at(-1)).toBe(1));
      await place.allowReading(project.name, undefined);
      await project.gates.doc('events/e/tickets/b').set({ entrou: true });
      await until(() => expect(errors).toEqual(['permission-denied']));
      expect(sizes.at(-1)).toBe(1);
      const again = signInWithEmailAndPassword(auth, email, 'wrong');
      await expect(again).rejects.toMatchObject({ code: 'auth/invalid-credential' });
    });
  });
}

function expected(tickets: Tickets | undefined, name: SelectionName): string {
  return textOf([...(tickets ?? [])].filter(([, of]) => SELECTIONS[name](of)));
}

/** What a listener has displayed are states after commits, none of them in part, and never an earlier one after a later. */
function expectInOrder(texts: readonly string[], history: readonly Tickets[], name: SelectionName): void {
  const states = history.map((tickets) => expected(tickets, name));
  let from = 0;
  for (const text of texts) {
    const at = states.indexOf(text, from);
    expect(at, `${name}: ${text} is no state after ${states[from]}`).toBeGreaterThanOrEqual(from);
    from = at;
  }
}

/** A listener on a selection, with all that it has displayed. */
interface View {
  readonly library: 'server' | 'page';
  readonly name: SelectionName;
  readonly texts: string[];
}

function serverViews(client: Firestore, path: string): View[] {
  const tickets = client.collection(path);
  const admitted = tickets.where('entrou', '==', true);
  const queries: Record<SelectionName, Query> = {
    all: tickets,
    admitted,
    'admitted in 4': admitted.where('setor', '==', '4'),
  };
  return NAMES.map((name) => {
    const texts: string[] = [];
    const stop = queries[name].onSnapshot(({ docs }) =>
      texts.push(textOf(docs.map((document) => [document.id, document.data()]))),
    );
    closeOnce(stop);
    return { library: 'server' as const, name, texts };
  });
}

function pageViews(client: web.Firestore, path: string): View[] {
  const tickets = web.collection(client, path);
  const isIn = web.where('entrou', '==', true);
  const queries: Record<SelectionName, web.Query> = {
    all: tickets,
    admitted: web.query(tickets, isIn),
    'admitted in 4': web.query(tickets, isIn, web.where('setor', '==', '4')),
  };
  return NAMES.map((name) => {
    const texts: string[] = [];
    const stop = web.onSnapshot(queries[name], ({ docs }) => {
      texts.push(textOf(docs.map((document) => [document.id, document.data()])));
    });
    closeOnce(stop);
    return { library: 'page' as const, name, texts };
  });
}
