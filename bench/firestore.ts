import type { Benchmark } from './benchmark.ts';
import { beside } from './firestore/beside.ts';
import { blackHole } from './firestore/black-hole.ts';
import { cells } from './firestore/cells.ts';
import { memory } from './firestore/memory.ts';
import { starts } from './firestore/starts.ts';
import type { Figure } from './report/figure.ts';

/** In this order: what is to be told apart best comes first, on the freshest machine. */
const PARTS = [beside, starts, memory, cells, blackHole] as const;

/** A board on Firestore beside the page that it replaces, and beside one listener in a server. */
export const firestore: Benchmark = {
  name: 'firestore',
  what: "a board on Firestore beside the specification's own design and beside one official listener (stand-in and emulator)",
  async run(options) {
    const figures: Figure[] = [];
    for (const { what, run } of PARTS) {
      options.progress(what);
      figures.push(...(await run(options)));
    }
    return figures;
  },
};
