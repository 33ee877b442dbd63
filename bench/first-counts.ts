import type { PageClient } from '../testing/browser/page-client.ts';
import { median } from '../testing/statistics.ts';
import { venueOf, writeVenueFile } from '../testing/server/venues.ts';
import { defineBenchmark, type Scope } from './benchmark.ts';
import { columnsOf, figure, ratio } from './report/figure.ts';
import { formatNumber } from './report/table.ts';
import { openClient } from './support/server.ts';
import { openStadium, type Stadium } from './support/stadium.ts';
import { withStops } from './support/stops.ts';

const OF_TICKETS = [1_000, 100_000, 1_000_000].map((tickets) => ({
  name: `${formatNumber(tickets)} tickets`,
  tickets,
  mostBodyBytes: 1_500,
  mostUpdateBytes: 300,
}));
/** With two codes a sector, each as long as codes may be. */
const SIXTY = { name: 'sixty sectors', venue: venueOf(60), mostBodyBytes: 5_000, mostUpdateBytes: 4_000 };
const VARIANTS = [...OF_TICKETS, SIXTY];
const LARGEST = VARIANTS.slice(-2);
const LIMIT_MS = 10_000;
const MOST_GROWTH = 1.05;
/** Three digits more in each of the fifteen numbers: 1,000,000 in place of 1,000. */
const MOST_DIGITS = 45;

interface Board {
  readonly stadium: Stadium;
  readonly url: string;
}

/** What a screen costs when it comes, and with each update, as the tickets grow, or the sectors. */
export const firstCounts = defineBenchmark({
  name: 'first-counts',
  what: 'sign-in → first counts: body bytes and time, as tickets (half of them in) or sectors grow; bytes per update',
  full: { rounds: 9, viewers: 200, updates: 50 },
  quick: { rounds: 3, viewers: 20, updates: 10 },

  async setUp(run) {
    const boards = new Map<string, Board>();
    for (const variant of VARIANTS) {
      const stadium = await openStadium(run, variant);
      const env = 'venue' in variant ? { VENUE_FILE: writeVenueFile(variant.venue) } : {};
      boards.set(variant.name, { stadium, url: (await stadium.startServer(run, env)).url });
    }
    // The first requests of a server are answered by code that is not compiled yet.
    for (const { url } of boards.values()) await arriveOneByOne(run, url, run.scale.viewers);
    return boards;
  },
  groups: () => [VARIANTS],
  async measure(boards, variant, run) {
    const board = boards.get(variant.name);
    if (!board) throw new Error(`no board has ${variant.name}`);
    const arrivals = await arriveOneByOne(run, board.url, run.scale.viewers);
    const isLargest = LARGEST.includes(variant);
    return {
      bodyBytes: median(arrivals.bodyBytes),
      wireBytes: median(arrivals.wireBytes),
      tookMs: median(arrivals.tookMs),
      updateBytes: isLargest ? await bytesPerUpdate(run, board, run.scale.updates) : NaN,
    };
  },
  describe: ({ bodyBytes, tookMs }) => `${bodyBytes} B, ${tookMs.toFixed(2)} ms`,
  figures({ of }) {
    const [least, most] = [of('1,000 tickets'), of('1,000,000 tickets')];
    const growth = '1,000,000 beside 1,000 tickets';
    const flat = { atMost: MOST_GROWTH };
    const grown = most.bodyBytes.map((bytes, round) => bytes - (least.bodyBytes[round] ?? NaN));
    return [
      ...VARIANTS.map(({ name, mostBodyBytes: atMost }) =>
        figure(`body bytes to the first counts, ${name}`, 'B', of(name).bodyBytes, { atMost }),
      ),
      ...OF_TICKETS.map(({ name }) => figure(`sign-in → first counts, ${name}`, 'ms', of(name).tookMs)),
      figure(`body bytes more, ${growth}`, 'B', grown, { atMost: MOST_DIGITS }),
      ratio(`bytes on the connection, heads included, ${growth}`, most.wireBytes, least.wireBytes, flat),
      ratio(`time, ${growth}`, most.tookMs, least.tookMs, flat),
      ...LARGEST.map(({ name, mostUpdateBytes: atMost }) =>
        figure(`bytes per update on the connection, ${name}`, 'B', of(name).updateBytes, { atMost }),
      ),
    ];
  },
});

/** One screen after the other, each on a connection of its own. */
async function arriveOneByOne({ signal }: Scope, url: string, viewers: number) {
  const arrivals = [];
  while (arrivals.length < viewers) {
    const startedAtMs = performance.now();
    const arrival = await withStops(async (stops) => {
      const { client, liveAtMs } = await openClient({ signal, stops }, url);
      return { bodyBytes: client.bodyBytes, wireBytes: client.wireBytes, tookMs: liveAtMs - startedAtMs };
    });
    arrivals.push(arrival);
  }
  return columnsOf(arrivals);
}

/** What one admission sends to a viewer, the coding of its chunk included. */
async function bytesPerUpdate(scope: Scope, { stadium, url }: Board, updates: number): Promise<number> {
  const { client } = await openClient(scope, url);
  const bytes: number[] = [];
  while (bytes.length < updates) {
    const before = client.wireBytes;
    const { total } = await stadium.enter();
    const isNext = ({ counts }: PageClient): boolean => counts?.total === total;
    await client.reaches('an update', isNext, LIMIT_MS, scope.signal);
    bytes.push(client.wireBytes - before);
  }
  return median(bytes);
}
