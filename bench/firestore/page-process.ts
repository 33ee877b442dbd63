import { collection, getCountFromServer, onSnapshot, type Query, query, where } from '@firebase/firestore';
import { openSync, writeSync } from 'node:fs';
import { SECTOR_CODES } from '../../domain/default-sectors.ts';
import { openWebClient } from '../../testing/firestore/web-client.ts';
import { serveRpc } from '../../testing/server/rpc.ts';
import { clockMs } from '../support/clock.ts';
import type { PageNote } from './page-notes.ts';
import { EVENT_PATH, PROJECT } from './sale.ts';

/**
 * One screen of the specification's own design, without its elements: Firebase's library for pages in Node, with the live
 * subscriptions and the count that the specification lists (docs/specification.md). It does not sign in. It notes in a file
 * what it shows: where it falls behind, it answers nobody for minutes.
 */

const notes = openSync(process.argv[2] ?? '', 'a');
const note = (what: PageNote): void => void writeSync(notes, `${JSON.stringify(what)}\n`);

const sectors: Record<string, number> = {};
let total = NaN;

/** Resolves with the first result. */
function follow(of: Query, take: (size: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    onSnapshot(
      of,
      ({ size }) => {
        take(size);
        resolve();
      },
      reject,
    );
  });
}

async function open(host: string): Promise<void> {
  const startedAtMs = performance.now();
  const { firestore } = openWebClient(host, PROJECT);
  const tickets = collection(firestore, `${EVENT_PATH}/tickets`);
  const entered = where('entrou', '==', true);
  await Promise.all([
    follow(collection(firestore, `${EVENT_PATH}/sectors`), () => {}),
    getCountFromServer(query(tickets, where('isValidTicket', '==', true))),
    follow(query(tickets, entered), (size) => {
      total = size;
      note({ total, atMs: clockMs() });
    }),
    ...SECTOR_CODES.map((code) =>
      follow(query(tickets, entered, where('setor', '==', code)), (size) => (sectors[code] = size)),
    ),
  ]);
  note({ tookMs: performance.now() - startedAtMs });
}

serveRpc({
  isReady: () => true,
  /** Begins; a note says when it has all counts. */
  open: (host: string) => void open(host),
  newest: () => ({ total, sectors }),
});
