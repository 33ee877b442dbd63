import { setTimeout as sleep } from 'node:timers/promises';
import { type DocumentReference, type Firestore, Timestamp } from '@google-cloud/firestore';
import { GATES_OPEN_MINUTE } from '../../../gates/simulator/arrival-curve.ts';
import type { MarkTickets } from '../../../gates/simulator/let-in.ts';
import type { SimulatedTicket } from '../../../gates/simulator/simulated-tickets.ts';

const TICKETS_IN_COMMIT = 500;
const WRITERS = 4;
const MIN_PAUSE_MS = 100;

/** Writes the documents of an event in the form of the specification. */
export class Stadium {
  readonly #firestore: Firestore;
  readonly #event: DocumentReference;

  constructor(firestore: Firestore, eventId: string) {
    this.#firestore = firestore;
    this.#event = firestore.collection('events').doc(eventId);
  }

  /** Writes the event's document. `gatesOpenMs` is in Unix milliseconds of the match's clock; undefined until it is known. */
  async describe(title: string, gatesOpenMs: number | undefined): Promise<void> {
    const times =
      gatesOpenMs === undefined
        ? {}
        : {
            gates_open_at: Timestamp.fromMillis(Math.round(gatesOpenMs)),
            kick_off_at: Timestamp.fromMillis(Math.round(gatesOpenMs - GATES_OPEN_MINUTE * 60_000)),
          };
    await this.#event.set({ title, ...times });
  }

  /** Writes a document for each ticket. `onProgress` gets the number so far. */
  async load(
    tickets: readonly SimulatedTicket[],
    stopped: AbortSignal,
    onProgress: (count: number) => void,
  ): Promise<void> {
    const collection = this.#event.collection('tickets');
    let [next, loaded] = [0, 0];
    const write = async (): Promise<void> => {
      while (next < tickets.length && !stopped.aborted) {
        const some = tickets.slice(next, next + TICKETS_IN_COMMIT);
        next += some.length;
        const batch = this.#firestore.batch();
        for (const { id, isValid, setor } of some)
          batch.set(collection.doc(id), { isValidTicket: isValid, entrou: false, setor });
        await batch.commit();
        loaded += some.length;
        onProgress(loaded);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
  }

  /**
   * Commits a batch, and then pauses for as long as that took: the emulator resends all tickets after every change, and
   * answers nobody meanwhile.
   */
  readonly mark: MarkTickets = async (ids, entrou) => {
    const begunMs = performance.now();
    const collection = this.#event.collection('tickets');
    const batch = this.#firestore.batch();
    for (const id of ids) batch.update(collection.doc(id), { entrou });
    await batch.commit();
    await sleep(Math.max(MIN_PAUSE_MS, performance.now() - begunMs));
    return ids.length;
  };
}
