import { setTimeout as pause } from 'node:timers/promises';
import { type Catalogue, findCatalogueError, fingerprint, isReadAfter } from './catalogue.ts';
import { ReplicationError } from './replication-error.ts';

/** The pause between two looks whether a transaction has ended. */
const END_AGAIN_MS = 50;

/** Holds a stream to what it hung on as it began: cut from its table, it would go on without an error. */
export class CatalogueGuard {
  #fingerprint: string | undefined;
  #waitsForEnd = false;

  /** Whether a transaction that may have altered a table stands in the log and has not ended. */
  get waitsForEnd(): boolean {
    return this.#waitsForEnd;
  }

  /**
   * The first catalogue is that of the snapshot.
   * @throws ReplicationError: the stream would not send every change, or hangs on something else than it did
   */
  assertSame(catalogue: Catalogue): void {
    const fault = findCatalogueError(catalogue);
    if (fault) throw fault;
    const found = fingerprint(catalogue);
    this.#fingerprint ??= found;
    if (found === this.#fingerprint) return;
    throw new ReplicationError(
      'The table, its publication or its identity index was made anew, or columns were renamed',
      { shouldRetry: true },
    );
  }

  /** Resolves once the catalogue is known to be the same as this transaction left it. Rejects as `assertSame` throws. */
  async assertSameAfter(transactionId: number, read: () => Promise<Catalogue>): Promise<void> {
    for (;;) {
      const catalogue = await read();
      this.assertSame(catalogue);
      this.#waitsForEnd = !isReadAfter(catalogue, transactionId);
      if (!this.#waitsForEnd) return;
      await pause(END_AGAIN_MS);
    }
  }
}
