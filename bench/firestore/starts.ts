import { makeTestFolder } from '../../testing/folder.ts';
import { defineBenchmark, type Scope } from '../benchmark.ts';
import { figure } from '../report/figure.ts';
import { openFirstClient } from '../support/server.ts';
import { withStops } from '../support/stops.ts';
import { closeKitWith } from './close-kit.ts';
import { startBoard } from './contenders.ts';
import { type Place, startEmulator, startStandIn } from './place.ts';
import { STADIUM } from './sale.ts';

const EMULATOR = 'emulator, all tickets read';
const STAND_IN = 'stand-in, all tickets read';
const RESUMED = 'stand-in, resumed from a kept token';
const MOST_MS = { [EMULATOR]: 5_000, [STAND_IN]: undefined, [RESUMED]: 1_000 } as const;
const VARIANTS = [EMULATOR, STAND_IN, RESUMED].map((name) => ({ name }));
/** So many enter while the board is down. */
const MEANWHILE = { perSecond: 100, durationMs: 1_000, seed: 1 };

/** From the start of the process to live counts at a client, with a full stadium. */
export const starts = defineBenchmark({
  name: 'firestore',
  what: 'start → live, 43,680 tickets, half of them in',
  full: { rounds: 5, tickets: STADIUM },
  quick: { rounds: 1, tickets: 4_000 },

  async setUp(run) {
    const sale = { tickets: run.scale.tickets, entered: run.scale.tickets / 2 };
    closeKitWith(run);
    run.progress('selling tickets');
    return { emulator: await startEmulator(run, sale), standIn: await startStandIn(run, sale) };
  },
  groups: () => [VARIANTS],
  async measure({ emulator, standIn }, { name }, run) {
    if (name !== RESUMED) return startOnce(run, name === EMULATOR ? emulator : standIn, makeTestFolder());
    const dataDir = makeTestFolder();
    await withStops(async (stops) => startOnce({ signal: run.signal, stops }, standIn, dataDir));
    await standIn.admit({ ...MEANWHILE, perSecond: run.round + 1 });
    return startOnce(run, standIn, dataDir);
  },
  describe: ({ toLiveMs, documents }) => `${toLiveMs.toFixed(0)} ms, ${documents} documents`,
  figures: ({ of }, { tickets }) =>
    VARIANTS.flatMap(({ name }) => {
      const { toLiveMs, documents } = of(name);
      const atMost = MOST_MS[name as keyof typeof MOST_MS];
      const where = `${name}, ${tickets} tickets`;
      const target = atMost === undefined ? undefined : { atMost };
      const start = figure(`start → live, ${where}`, 'ms', toLiveMs, target);
      const read = figure(`documents read, ${where}`, 'documents', documents);
      return documents.some(Number.isNaN) ? [start] : [start, read];
    }),
});

async function startOnce(scope: Scope, place: Place, dataDir: string) {
  const readsBefore = await place.reads();
  const server = await startBoard(scope, place, { env: { DATA_DIR: dataDir } });
  const { client, liveAtMs } = await openFirstClient(scope, server);
  const documents = (await place.reads()) - readsBefore;
  client.leave();
  // In order: what it knows is saved.
  await server.stop();
  return { toLiveMs: liveAtMs - server.spawnedAtMs, documents };
}
