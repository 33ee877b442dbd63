import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { startNetwork } from '../testing/server/network.ts';
import { recount } from '../testing/database/oracle.ts';
import { type Point, slope } from '../testing/statistics.ts';
import { admitEveryDatabase } from '../testing/database/admit-every-database.ts';
import { defineBenchmark, type Scope } from './benchmark.ts';
import { type DeskPage, openDeskPage } from './desks/desk-page.ts';
import { makeRecordDatabase } from './desks/record-database.ts';
import { type MatchTime, openMatch } from './desks/simulated-match.ts';
import { watchMatch } from './desks/watched-match.ts';
import { figure } from './report/figure.ts';
import { startBrowser } from './support/chromium.ts';
import { startDatabase } from './support/database.ts';
import type { PageClient } from '../testing/browser/page-client.ts';
import type { ProcessUsage } from '../testing/server/process-usage.ts';
import { settingsOf } from './desk/variants.ts';
import { openFirstClient, startServer } from './support/server.ts';

/** Started in this order: what the order does to a server shows in the two without a desk. */
const SERVERS = ['first', 'with_desks', 'last'] as const;
type ServerName = (typeof SERVERS)[number];

const LAST_ADMISSION_LIMIT_MS = 30_000;
/** A desk that is opened at the end is looked at after so long: the others were open for about as long at first. */
const FRESH_MS = 20_000;
/** Flat: what a desk gains in a day of 24 hours, beyond what the match tells it, is less than 15 MB. */
const FLAT = { atMost: 10 };
/** The first part of a match is not like the rest: code is compiled, caches fill. */
const WARM_UP_SHARE = 0.2;

/** Three equal servers follow the same match at the same time; at one of them desks are open. */
export const desks = defineBenchmark({
  name: 'desks',
  what: 'ten desks in Chromium for a whole match, beside equal servers that nobody has a desk of',
  full: { rounds: 1, desks: 10, speed: 10, lookEveryMs: 60_000 },
  quick: { rounds: 1, desks: 3, speed: 120, lookEveryMs: 10_000 },

  async setUp(run) {
    const database = await startDatabase(run);
    await admitEveryDatabase(database);
    const recordUrls: string[] = [];
    for (const name of SERVERS) recordUrls.push(await makeRecordDatabase(run, database, `record_of_${name}`));
    return { database, recordUrls, browser: await startBrowser(run) };
  },
  groups: () => [[{ name: 'a whole match' }]],
  async measure({ database, recordUrls, browser }, _match, { scale, ...run }) {
    const time: MatchTime = { sinceMs: Date.now(), speed: scale.speed };
    const servers = new Map<ServerName, EqualServer>();
    for (const [place, name] of SERVERS.entries()) {
      const recordUrl = recordUrls[place] ?? '';
      servers.set(name, await startEqualServer(run, database.observerUrl, recordUrl, time));
    }
    const watched = servers.get('with_desks') as EqualServer;
    const counted = await countBytes(run, watched.url);
    const opened = await openDesks(run, browser, [counted.url, ...others(watched.url, scale.desks)]);

    const gates = await openMatch(run, database.gatesUrl, time);
    const before = { atMs: performance.now(), bytes: counted.bytes(), cpuMs: cpuOf(servers) };
    const heaps = await watchMatch(opened, gates, { ...scale, ...run });
    const { total } = await recount(database.admin);
    for (const { wall } of servers.values()) {
      const hasAll = (): boolean => wall.counts?.total === total;
      await wall.reaches('the last admission', hasAll, LAST_ADMISSION_LIMIT_MS, run.signal);
    }
    const elapsedMs = performance.now() - before.atMs;
    const bytes = counted.bytes();
    const cpuMs = cpuOf(servers);
    for (const desk of opened) await desk.shows(total);
    const fresh = await openDeskPage(run, browser, watched.url);
    await fresh.shows(total);
    await sleep(FRESH_MS, undefined, { signal: run.signal });
    const ofServer = (name: ServerName): number => (cpuMs.get(name) ?? NaN) - (before.cpuMs.get(name) ?? NaN);
    return {
      heaps,
      processor: opened.map((desk) => desk.share('processorMs')),
      tasks: opened.map((desk) => desk.share('tasksMs')),
      scripts: opened.map((desk) => desk.share('scriptMs')),
      styleAndLayout: opened.map((desk) => desk.share('styleAndLayoutMs')),
      elapsedMs,
      admitted: total,
      cpuMs: { first: ofServer('first'), with_desks: ofServer('with_desks'), last: ofServer('last') },
      freshHeapKb: await fresh.heapKb(),
      openingBytes: before.bytes,
      bytesPerSecond: ((bytes - before.bytes) * 1_000) / elapsedMs,
    };
  },
  describe: ({ elapsedMs, cpuMs, admitted }) =>
    `${(elapsedMs / 60_000).toFixed(1)} min, ${admitted} admitted · processor time ${cpuMs.with_desks} ms with desks, ` +
    `${cpuMs.first} and ${cpuMs.last} without`,
  figures({ all }, scale) {
    const of = (sample: (typeof all)['cpuMs'][number]) => (sample.first + sample.last) / 2;
    const added = all.cpuMs.map((cpuMs) => cpuMs.with_desks - of(cpuMs));
    const perCore = (ms: readonly number[]): number[] =>
      ms.map((one, round) => (100 * one) / (all.elapsedMs[round] ?? NaN));
    const heaps = all.heaps.map((ofMatch) => leastOfEachLook(ofMatch, scale.desks));
    const firstKb = heaps.map((looks) => looks[0]?.y ?? NaN);
    const lastKb = heaps.map((looks) => looks.at(-1)?.y ?? NaN);
    const minutes = heaps.map((looks) => looks.at(-1)?.x ?? NaN);
    const growth = heaps.map((looks, round) => {
      const beganAt = (minutes[round] ?? NaN) * WARM_UP_SHARE;
      return slope(looks.filter(({ x }) => x >= beganAt)) ?? NaN;
    });
    /** What the minutes and the log of the match take: a desk that is opened at its end has them, too. */
    const told = all.freshHeapKb.map((kb, round) => (kb - (firstKb[round] ?? NaN)) / (minutes[round] ?? NaN));
    const desksOpen = `${scale.desks} desks`;
    return [
      figure(`processor time that ${desksOpen} add to a server, of one core`, '%', perCore(added), {
        atMost: 2,
      }),
      figure('· a server without a desk open, of one core', '%', perCore(all.cpuMs.map(of))),
      figure(
        `· a server with ${desksOpen} open beside one with none, its own time`,
        '×',
        all.cpuMs.map((cpuMs) => cpuMs.with_desks / of(cpuMs)),
      ),
      figure(
        '· two servers with none open beside each other, their own time',
        '×',
        all.cpuMs.map((cpuMs) => cpuMs.last / cpuMs.first),
      ),
      figure('main thread of a desk, of one core', '%', all.processor.flat(), { atMost: 4 }),
      figure('· its tasks by the clock, while others had the processor too', '%', all.tasks.flat()),
      figure('· of these: scripts', '%', all.scripts.flat()),
      figure('· of these: style and layout', '%', all.styleAndLayout.flat()),
      figure(
        'heap of a desk after the first fifth, growth beyond what the match tells it',
        'KB/min',
        growth.map((kb, round) => kb - (told[round] ?? NaN)),
        FLAT,
      ),
      figure('· growth in all', 'KB/min', growth),
      figure('· of it: minutes and log of the match, at its pace', 'KB/min', told),
      figure('heap of a desk, as the gates open', 'KB', firstKb),
      figure('heap of a desk, at the end', 'KB', lastKb),
      figure('heap of a desk that is opened at the end', 'KB', all.freshHeapKb),
      figure('bytes of a desk from its opening until the gates open', 'kB', perKilo(all.openingBytes)),
      figure('bytes of an open desk', 'kB/s', perKilo(all.bytesPerSecond)),
      figure(
        'length of the match, by the clock',
        'min',
        all.elapsedMs.map((ms) => ms / 60_000),
      ),
    ];
  },
});

function cpuOf(servers: ReadonlyMap<ServerName, EqualServer>): ReadonlyMap<ServerName, number> {
  return new Map([...servers].map(([name, { usage }]) => [name, usage.cpuMs()]));
}

/** They show the same: what one of them has beyond the others is garbage that was not collected yet. */
function leastOfEachLook(heaps: readonly Point[], desksOpen: number): Point[] {
  const looks = Array.from({ length: heaps.length / desksOpen }, (_, look) =>
    heaps.slice(look * desksOpen, (look + 1) * desksOpen),
  );
  return looks.map((look) => look.reduce((least, one) => (one.y < least.y ? one : least)));
}

function perKilo(bytes: readonly number[]): number[] {
  return bytes.map((one) => one / 1_000);
}

/** Of all desks but the first. */
function others(url: string, count: number): string[] {
  return Array.from({ length: count - 1 }, () => url);
}

async function openDesks(run: Scope, browser: Browser, urls: readonly string[]): Promise<DeskPage[]> {
  const opened: DeskPage[] = [];
  for (const url of urls) opened.push(await openDeskPage(run, browser, url));
  return opened;
}

/** Another address of the server, and how much it has sent by way of it. */
async function countBytes({ stops }: Scope, serverUrl: string) {
  let bytes = 0;
  const network = await startNetwork(serverUrl, {
    rewrite(piece) {
      bytes += piece.length;
      return piece;
    },
  });
  stops.push(() => network.close());
  return { url: network.url, bytes: () => bytes };
}

/** A server with a desk and a record of its own, and one wall that follows it. */
interface EqualServer {
  readonly url: string;
  readonly usage: ProcessUsage;
  readonly wall: PageClient;
}

async function startEqualServer(
  run: Scope,
  observerUrl: string,
  recordUrl: string,
  { sinceMs, speed }: MatchTime,
): Promise<EqualServer> {
  const server = await startServer(run, observerUrl, {
    script: 'testing/desk/sped-up-server.mjs',
    env: {
      ...settingsOf('desk', recordUrl),
      FLOW_SINCE_MS: String(sinceMs),
      FLOW_SPEED: String(speed),
    },
  });
  const { client } = await openFirstClient(run, server);
  return { url: server.url, usage: server.usage, wall: client };
}
