import type { Counts } from '../../domain/event-state.ts';
import { openPageClient, type PageClient } from '../../testing/browser/page-client.ts';
import { serveRpc } from '../../testing/server/rpc.ts';

/** The process of many screens, each of another event. */

/** What it is asked to open: a screen under each name. */
export interface Opening {
  readonly url: string;
  readonly hosts: readonly string[];
}

/** What a screen shows. */
export interface Shown {
  readonly live: boolean;
  readonly counts: Counts | undefined;
}

const OPENING_AT_ONCE = 20;
const FIRST_COUNTS_LIMIT_MS = 30_000;

let screens: readonly PageClient[] = [];

serveRpc({
  async open({ url, hosts }: Opening) {
    const opened: PageClient[] = [];
    let next = 0;
    const openNext = async (): Promise<void> => {
      while (next < hosts.length) {
        const index = next;
        next += 1;
        const screen = await openPageClient(url, { host: hosts[index] ?? '' });
        await screen.reaches(
          'the first counts',
          ({ complete, live }) => complete && live,
          FIRST_COUNTS_LIMIT_MS,
        );
        opened[index] = screen;
      }
    };
    await Promise.all(Array.from({ length: OPENING_AT_ONCE }, openNext));
    screens = opened;
  },
  /** Of all screens, so far. */
  frames: () => screens.reduce((sum, { frames }) => sum + frames.length, 0),
  shown: (): Shown[] => screens.map(({ live, counts }) => ({ live, counts })),
});
