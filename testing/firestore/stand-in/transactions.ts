import { randomBytes } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import type { DocumentStore, Selection } from './document-store.ts';
import type { Micros } from './messages.ts';
import { StatusError } from './status-error.ts';

interface Read {
  readonly at: Micros;
  readonly of: Selection;
}

/**
 * Transactions that are open. They hold no locks: one whose reads are no longer true when it commits is refused with ABORTED,
 * and the client tries it again.
 */
export class Transactions {
  readonly #store: DocumentStore;
  readonly #reads = new Map<string, Read[]>();

  constructor(store: DocumentStore) {
    this.#store = store;
  }

  begin(): Uint8Array {
    const id = randomBytes(8);
    this.#reads.set(id.toString('hex'), []);
    return id;
  }

  /** Notes what a transaction has read. */
  noteRead(id: Uint8Array, read: Read): void {
    this.#readsOf(id).push(read);
  }

  /** Aborts a transaction that is about to write. */
  finish(id: Uint8Array): void {
    const reads = this.#readsOf(id);
    this.rollback(id);
    for (const { at, of } of reads)
      for (const { before, after } of this.#store.changesSinceOrThrow(at).values())
        if ((before && of.selects(before)) || (after && of.selects(after)))
          throw new StatusError(status.ABORTED, 'Too much contention on these documents. Please try again.');
  }

  rollback(id: Uint8Array): void {
    this.#reads.delete(Buffer.from(id).toString('hex'));
  }

  #readsOf(id: Uint8Array): Read[] {
    const reads = this.#reads.get(Buffer.from(id).toString('hex'));
    if (!reads) throw new StatusError(status.INVALID_ARGUMENT, 'The transaction is unknown, or over.');
    return reads;
  }
}
