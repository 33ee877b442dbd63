import type { PageClient } from '../testing/page-client.ts';
import { median } from '../testing/statistics.ts';
import { venueOf, writeVenueFile } from '../testing/venues.ts';
import { DEFAULT_VENUE, type Venue } from '../domain/venue.ts';
import { defineBenchmark, type Scope } from './benchmark.ts';
import { figure } from './report/figure.ts';
import { openClient } from './support/server.ts';
import { openStadium, type Stadium } from './support/stadium.ts';

/** With two codes a sector, each as long as codes may be. */
const SIXTY: Venue = venueOf(60);
const VARIANTS = [
  { name: 'thirteen sectors', venue: DEFAULT_VENUE, mostBodyBytes: 1_500, mostUpdateBytes: 300 },
  { name: 'sixty sectors', venue: SIXTY, mostBodyBytes: 5_000, mostUpdateBytes: 4_000 },
];
const LIMIT_MS = 10_000;

interface Board {
  readonly stadium: Stadium;
  readonly url: string;
}

/** What a screen costs as the sectors grow. */
export const venue = defineBenchmark({
  name: 'venue',
  what: 'bytes to the first counts, and per update, as the sectors grow in number and their codes in length',
  full: { rounds: 5, updates: 50 },
  quick: { rounds: 1, updates: 10 },

  async setUp(run) {
    const boards = new Map<string, Board>();
    for (const variant of VARIANTS) {
      const stadium = await openStadium(run, { venue: variant.venue });
      const env = { VENUE_FILE: writeVenueFile(variant.venue) };
      boards.set(variant.name, { stadium, url: (await stadium.startServer(run, env)).url });
    }
    return boards;
  },
  groups: () => [VARIANTS],
  async measure(boards, { name }, run) {
    const board = boards.get(name);
    if (!board) throw new Error(`no board has ${name}`);
    const { client } = await openClient(run, board.url);
    const { bodyBytes } = client;
    return { bodyBytes, updateBytes: await bytesPerUpdate(run, client, board.stadium, run.scale.updates) };
  },
  describe: ({ bodyBytes, updateBytes }) => `${bodyBytes} B, then ${updateBytes} B`,
  figures: ({ of }) =>
    VARIANTS.flatMap(({ name, mostBodyBytes, mostUpdateBytes }) => {
      const sizes = of(name);
      return [
        figure(`body bytes to the first counts, ${name}`, 'B', sizes.bodyBytes, {
          atMost: mostBodyBytes,
        }),
        figure(`bytes per update on the connection, ${name}`, 'B', sizes.updateBytes, {
          atMost: mostUpdateBytes,
        }),
      ];
    }),
});

async function bytesPerUpdate(
  scope: Scope,
  client: PageClient,
  stadium: Stadium,
  updates: number,
): Promise<number> {
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
