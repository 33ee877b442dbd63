import { openPageClient, type PageClient } from '../testing/page-client.ts';
import { median } from '../testing/statistics.ts';
import { defineBenchmark, type Scope } from './benchmark.ts';
import { figure, ratiosOf, valuesOf } from './report/figure.ts';
import { formatNumber } from './report/table.ts';
import { openSql, startDatabase } from './support/database.ts';
import { startLiveServer } from './support/server.ts';
import { withStops } from './support/stops.ts';
import { admit, sellTickets } from './support/tickets.ts';

const SIZES = [1_000, 100_000, 1_000_000] as const;
const [SMALLEST] = SIZES;
const LARGEST = SIZES[SIZES.length - 1] ?? SMALLEST;
const VARIANTS = SIZES.map((size) => ({ name: `${formatNumber(size)} tickets`, size }));
const LIMIT_MS = 10_000;
const MOST_BODY_BYTES = 1_500;
const MOST_GROWTH = 1.05;
const MOST_UPDATE_BYTES = 300;

/** What a screen costs when it comes, and with each update, as the tickets grow. */
export const firstCounts = defineBenchmark({
  name: 'first-counts',
  what: 'sign-in → first counts: body bytes and time, as the tickets grow (half of them in); bytes per update',
  full: { rounds: 9, viewers: 200, updates: 50 },
  quick: { rounds: 3, viewers: 20, updates: 10 },

  async setUp(run) {
    const boards = new Map<number, { readonly url: string; readonly gatesUrl: string }>();
    for (const size of SIZES) {
      const database = await startDatabase(run);
      await sellTickets(database.admin, { to: size, entered: 'half' });
      const { url } = await startLiveServer(run, database.observerUrl);
      boards.set(size, { url, gatesUrl: database.gatesUrl });
    }
    // The first requests of a server are answered by code that is not compiled yet.
    for (const { url } of boards.values()) await arriveOneByOne(run, url, run.scale.viewers);
    return boards;
  },
  groups: () => [VARIANTS],
  async measure(boards, { size }, run) {
    const { url = '', gatesUrl = '' } = boards.get(size) ?? {};
    const arrivals = await arriveOneByOne(run, url, run.scale.viewers);
    const first = run.round * run.scale.updates;
    const updateBytes =
      size === LARGEST ? await bytesPerUpdate(run, { url, gatesUrl }, first, run.scale.updates) : [];
    return {
      bodyBytes: median(valuesOf(arrivals, 'bodyBytes')),
      wireBytes: median(valuesOf(arrivals, 'wireBytes')),
      tookMs: median(valuesOf(arrivals, 'tookMs')),
      updateBytes,
    };
  },
  describe: ({ bodyBytes, tookMs }) => `${bodyBytes} B, ${tookMs.toFixed(2)} ms`,
  figures(samples) {
    const least = samples.of(`${formatNumber(SMALLEST)} tickets`);
    const most = samples.of(`${formatNumber(LARGEST)} tickets`);
    const growth = `${formatNumber(LARGEST)} beside ${formatNumber(SMALLEST)} tickets`;
    const flat = { atMost: MOST_GROWTH };
    return [
      ...VARIANTS.map(({ name }) =>
        figure(`body bytes to the first counts, ${name}`, 'B', valuesOf(samples.of(name), 'bodyBytes'), {
          atMost: MOST_BODY_BYTES,
        }),
      ),
      ...VARIANTS.map(({ name }) =>
        figure(`sign-in → first counts, ${name}`, 'ms', valuesOf(samples.of(name), 'tookMs')),
      ),
      figure(`body bytes, ${growth}`, '×', ratiosOf(most, least, 'bodyBytes'), flat),
      figure(
        `bytes on the connection, heads included, ${growth}`,
        '×',
        ratiosOf(most, least, 'wireBytes'),
        flat,
      ),
      figure(`time, ${growth}`, '×', ratiosOf(most, least, 'tookMs'), flat),
      figure(
        `bytes per update on the connection, ${formatNumber(LARGEST)} tickets`,
        'B',
        samples.all.flatMap(({ updateBytes }) => updateBytes),
        { atMost: MOST_UPDATE_BYTES },
      ),
    ];
  },
});

/** Signs in, and has all that begins a stream. */
async function openClient({ signal, stops }: Scope, url: string) {
  const client = await openPageClient(url);
  stops.push(() => client.leave());
  const hasAll = ({ complete, live }: PageClient): boolean => complete && live;
  return { client, atMs: await client.reaches('the first counts', hasAll, LIMIT_MS, signal) };
}

/** One screen after the other, each on a connection of its own. */
async function arriveOneByOne({ signal }: Scope, url: string, viewers: number) {
  const arrivals = [];
  while (arrivals.length < viewers) {
    const startedAtMs = performance.now();
    const arrival = await withStops(async (stops) => {
      const { client, atMs } = await openClient({ signal, stops }, url);
      return { bodyBytes: client.bodyBytes, wireBytes: client.wireBytes, tookMs: atMs - startedAtMs };
    });
    arrivals.push(arrival);
  }
  return arrivals;
}

/** What one admission sends to a viewer, the coding of its chunk included. */
async function bytesPerUpdate(
  scope: Scope,
  { url, gatesUrl }: { readonly url: string; readonly gatesUrl: string },
  firstUpdate: number,
  updates: number,
): Promise<number[]> {
  const gate = openSql(scope, gatesUrl);
  const { client } = await openClient(scope, url);
  const bytes: number[] = [];
  for (let update = firstUpdate; update < firstUpdate + updates; update += 1) {
    const { total = 0 } = client.counts ?? {};
    const before = client.wireBytes;
    // Those with odd numbers have not entered.
    await admit(gate, 2 * update + 1);
    const isNext = ({ counts }: PageClient): boolean => counts?.total === total + 1;
    await client.reaches('an update', isNext, LIMIT_MS, scope.signal);
    bytes.push(client.wireBytes - before);
  }
  return [median(bytes)];
}
