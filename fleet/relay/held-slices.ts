import type { DetailsSlice, DocumentsSlice, EventStateSlice } from '../../domain/event-state.ts';
import { isEarlier, type LogPosition } from '../../domain/log-position.ts';
import { type CountsMessage, NO_DOCUMENTS, type SliceVersion } from './wire.ts';

export interface HeldSlicesOptions {
  readonly eventId: string;
  readonly onSlice: (slice: EventStateSlice) => void;
  /** Whether the position is one of another database system than that of the current counts. */
  readonly isForeign: (position: LogPosition) => boolean;
}

/** The documents and details of an event that an edge holds, each the latest that came. */
export class HeldSlices {
  readonly #options: HeldSlicesOptions;
  #documents: (DocumentsSlice & SliceVersion) | undefined;
  #details: (DetailsSlice & SliceVersion) | undefined;

  constructor(options: HeldSlicesOptions) {
    this.#options = options;
  }

  get documents(): DocumentsSlice | undefined {
    return this.#documents;
  }

  get details(): DetailsSlice | undefined {
    return this.#details;
  }

  /** The position must be of the system and timeline of the current counts. */
  offer(state: DocumentsSlice | DetailsSlice, digest: string): void {
    const held = state.kind === 'documents' ? this.#documents : this.#details;
    if (held && isEarlier(state.position, held.position)) return;
    if (state.kind === 'documents') this.#documents = { ...state, digest };
    else this.#details = { ...state, digest };
    if (held?.digest !== digest) this.#options.onSlice(state);
  }

  /** Whether the counter of these counts has slices that are not held here. */
  lacks({ documents, details }: CountsMessage): boolean {
    return this.#lacksDocuments(documents) || this.#lacksDetails(details);
  }

  forget(): void {
    this.#documents = this.#details = undefined;
  }

  #lacksDocuments(offered: SliceVersion): boolean {
    const { eventId, isForeign } = this.#options;
    const held = this.#documents;
    if (isForeign(offered.position)) return false;
    if (!held && offered.digest === NO_DOCUMENTS) {
      const state = { kind: 'documents', eventId, position: offered.position, documents: [] } as const;
      this.offer(state, offered.digest);
      return false;
    }
    if (held && held.digest === offered.digest) {
      if (isEarlier(held.position, offered.position))
        this.#documents = { ...held, position: offered.position };
      return false;
    }
    return !held || !isEarlier(offered.position, held.position);
  }

  #lacksDetails(offered: SliceVersion | undefined): boolean {
    const held = this.#details;
    if (!offered || this.#options.isForeign(offered.position)) return false;
    if (held && held.digest === offered.digest) return false;
    return !held || !isEarlier(offered.position, held.position);
  }
}
