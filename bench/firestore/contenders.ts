import { setTimeout as sleep } from 'node:timers/promises';
import { makeTestFolder } from '../../testing/folder.ts';
import { signIn } from '../../testing/browser/page-client.ts';
import type { ProcessUsage } from '../../testing/server/process-usage.ts';
import type { ServerOptions, ServerProcess } from '../../testing/server/server.ts';
import { median } from '../../testing/statistics.ts';
import type { Scope } from '../benchmark.ts';
import { getRequest, liveRequest } from '../contenders/contender.ts';
import { columnsOf } from '../report/figure.ts';
import { startProgram } from '../support/child-program.ts';
import type { Delivery, Opening } from '../support/clients-process.ts';
import { openClient, openFirstClient, startServer } from '../support/server.ts';
import { withStops } from '../support/stops.ts';
import { closeKitWith } from './close-kit.ts';
import { openPageNotes } from './page-notes.ts';
import type { Place } from './place.ts';
import { PROJECT } from './sale.ts';
import type { Counts, Screens } from './screens.ts';

/** The specification's own design, one listener of Google's in a server, and the board; `floor`: the least there could be. */
export type ContenderName = 'spec' | 'listener' | 'board' | 'floor';

/** A stand-in that answers ten screens of 40,000 documents takes minutes. */
const OPEN_LIMIT_MS = 600_000;
const LOOK_EVERY_MS = 100;
const ARRIVALS = 9;

export function openScreens(
  scope: Scope,
  name: ContenderName,
  place: Place,
  screens: number,
): Promise<Screens> {
  if (name === 'spec') return openPages(scope, place, screens);
  return name === 'board' ? openBoard(scope, place, screens) : openServer(scope, name, place, screens);
}

/** Starts the board's server on this place; resolves at once. */
export function startBoard(
  scope: Scope,
  { host }: Pick<Place, 'host'>,
  { env, ...options }: ServerOptions = {},
): Promise<ServerProcess> {
  closeKitWith(scope);
  const settings = { FIRESTORE_PROJECT: PROJECT, FIRESTORE_EMULATOR_HOST: host, DATA_DIR: makeTestFolder() };
  return startServer(scope, '', { ...options, env: { ...settings, ...env } });
}

async function openBoard(scope: Scope, place: Place, screens: number): Promise<Screens> {
  const server = await startBoard(scope, place);
  const earliest = await openFirstClient(scope, server);
  earliest.client.leave();
  const port = Number(new URL(server.url).port);
  const clients = await openClients(scope, port, liveRequest(await signIn(server.url)), screens);
  const first = await measureArrivals(scope, place, async (own) => {
    const { client } = await openClient(own, server.url);
    return client.bodyBytes;
  });
  return { ...clients, usages: [server.usage], first };
}

/**
 * One more screen of a server, again and again: what one of them takes. What the server itself reads from time to time falls
 * between them. `arrive` resolves with the bytes of the stream once the screen has all counts.
 */
async function measureArrivals(
  { signal }: Scope,
  place: Place,
  arrive: (own: Scope) => Promise<number>,
): Promise<Screens['first']> {
  const arrivals: Screens['first'][] = [];
  while (arrivals.length < ARRIVALS) {
    const arrival = await withStops(async (stops) => {
      const readsBefore = await place.reads();
      const startedAtMs = performance.now();
      const bytes = await arrive({ signal, stops });
      const tookMs = performance.now() - startedAtMs;
      return { tookMs, bytes, documents: (await place.reads()) - readsBefore };
    });
    arrivals.push(arrival);
  }
  const { tookMs, bytes, documents } = columnsOf(arrivals);
  return { tookMs: median(tookMs), bytes: median(bytes), documents: medianOrNone(documents) };
}

/** Of the emulator, nobody knows. */
function medianOrNone(documents: readonly number[]): number {
  return documents.some(Number.isNaN) ? NaN : median(documents);
}

async function openServer(
  scope: Scope,
  name: 'listener' | 'floor',
  place: Place,
  screens: number,
): Promise<Screens> {
  const { usage, call } = startProgram(scope, `../firestore/${name}-process.js`);
  const port = await call<number>('listen', place.host);
  const clients = await openClients(scope, port, getRequest('/'), screens);
  // The floor does not speak HTTP.
  if (name === 'floor')
    return { ...clients, usages: [usage], first: { tookMs: NaN, bytes: NaN, documents: NaN } };
  const first = await measureArrivals(scope, place, async ({ stops }) => {
    const leaving = new AbortController();
    stops.push(() => leaving.abort());
    const { body } = await fetch(`http://127.0.0.1:${port}`, { signal: leaving.signal });
    const { value } = (await body?.getReader().read()) ?? {};
    return value?.length ?? 0;
  });
  return { ...clients, usages: [usage], first };
}

/** Plain sockets in a process of their own. */
async function openClients(
  scope: Scope,
  port: number,
  request: string,
  count: number,
): Promise<Pick<Screens, 'totals' | 'newest' | 'takeArrivals'>> {
  const { call } = startProgram(scope, '../support/clients-process.js');
  await call('open', { port, request, count, sampleEvery: 1 } satisfies Opening);
  const newest = async (): Promise<Counts[]> => {
    const [, data = '{"total":-1}'] = /^data: (.*)$/m.exec(await call<string>('newestEvent')) ?? [];
    return [JSON.parse(data) as Counts];
  };
  return {
    totals: async () => (await newest()).map(({ total }) => total),
    newest,
    async takeArrivals() {
      const deliveries = await call<Delivery[]>('takeDeliveries');
      return Array.from({ length: count }, (_, n) => deliveries.filter(({ stream }) => stream === n));
    },
  };
}

/** A process for each. They come at the same time, as after a cut. */
async function openPages(scope: Scope, place: Place, screens: number): Promise<Screens> {
  const readsBefore = await place.reads();
  const pages = Array.from({ length: screens }, () => {
    const notes = openPageNotes(scope);
    return { notes, ...startProgram(scope, '../firestore/page-process.js', notes.path) };
  });
  const bytesBefore = new Map<ProcessUsage, number>();
  for (const { call, usage } of pages) {
    // Its modules have been read once it answers.
    await call('isReady');
    bytesBefore.set(usage, usage.bytesRead());
  }
  await Promise.all(pages.map(({ call }) => call('open', place.host)));
  const giveUpAtMs = performance.now() + OPEN_LIMIT_MS;
  while (pages.some(({ notes }) => notes.tookMs === undefined)) {
    if (performance.now() > giveUpAtMs) throw new Error('a page has no counts after ten minutes');
    await sleep(LOOK_EVERY_MS, undefined, { signal: scope.signal });
  }
  const bytes = pages.map(({ usage }) => usage.bytesRead() - (bytesBefore.get(usage) ?? NaN));
  return {
    usages: pages.map(({ usage }) => usage),
    first: {
      tookMs: Math.max(...pages.map(({ notes }) => notes.tookMs ?? NaN)),
      bytes: Math.max(...bytes),
      documents: ((await place.reads()) - readsBefore) / screens,
    },
    totals: async () => pages.map(({ notes }) => notes.total),
    newest: () => Promise.all(pages.map(({ call }) => call<Counts>('newest'))),
    takeArrivals: async () => pages.map(({ notes }) => notes.takeArrivals()),
  };
}
