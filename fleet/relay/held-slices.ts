import type {
  DetailsSlice,
  DocumentsSlice,
  EventStateSlice,
  IncompleteSlice,
} from '../../domain/event-state.ts';
import { isEarlier, type LogPosition } from '../../domain/log-position.ts';
import { keyOf } from './counter-registry.ts';
import {
  type CountsMessage,
  NO_DOCUMENTS,
  type OtherSlice,
  type SliceMessage,
  type SliceVersion,
} from './wire.ts';

export interface HeldSlicesOptions {
  readonly eventId: string;
  readonly onSlice: (slice: EventStateSlice) => void;
  /** Whether the position is one of another database system than that of the current counts. */
  readonly isForeign: (position: LogPosition) => boolean;
  /** Whether the counter with this key publishes counts. */
  readonly isPublishing: (key: string) => boolean;
}

/** What an edge holds of one event beside its counts: documents, details and incomplete counts, each the latest that came. */
export class HeldSlices {
  readonly #options: HeldSlicesOptions;
  #documents: (DocumentsSlice & SliceVersion) | undefined;
  #details: (DetailsSlice & SliceVersion) | undefined;
  #incomplete: (IncompleteSlice & SliceVersion & { readonly from: string }) | undefined;

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
  offer({ from, state, digest }: SliceMessage): void {
    const held = this.#held(state.kind, keyOf(from));
    if (held && isEarlier(state.position, held.position)) return;
    if (state.kind === 'documents') this.#documents = { ...state, digest };
    else if (state.kind === 'details') this.#details = { ...state, digest };
    else this.#incomplete = { ...state, digest, from: keyOf(from) };
    if (held?.digest !== digest) this.#options.onSlice(state);
  }

  /** Whether the counter of these counts has slices that are not held here. */
  lacks(message: CountsMessage): boolean {
    const { from, details, incomplete } = message;
    return (
      this.#lacksDocuments(message) ||
      this.#lacksVersion(this.#details, details) ||
      this.#lacksVersion(this.#heldIncomplete(keyOf(from)), incomplete)
    );
  }

  forget(): void {
    this.#documents = this.#details = this.#incomplete = undefined;
  }

  #lacksDocuments({ from, server, documents: offered }: CountsMessage): boolean {
    const { eventId, isForeign } = this.#options;
    const held = this.#documents;
    if (isForeign(offered.position)) return false;
    if (!held && offered.digest === NO_DOCUMENTS) {
      const state = { kind: 'documents', eventId, position: offered.position, documents: [] } as const;
      this.offer({ from, state, server, digest: offered.digest });
      return false;
    }
    if (held && held.digest === offered.digest) {
      if (isEarlier(held.position, offered.position))
        this.#documents = { ...held, position: offered.position };
      return false;
    }
    return !held || !isEarlier(offered.position, held.position);
  }

  #lacksVersion(held: SliceVersion | undefined, offered: SliceVersion | undefined): boolean {
    if (!offered || this.#options.isForeign(offered.position)) return false;
    if (held && held.digest === offered.digest) return false;
    return !held || !isEarlier(offered.position, held.position);
  }

  #held(slice: OtherSlice['kind'], from: string): SliceVersion | undefined {
    if (slice === 'documents') return this.#documents;
    return slice === 'details' ? this.#details : this.#heldIncomplete(from);
  }

  /**
   * What another message must be later than; `undefined` where its counter is gone and `from` is another one. Incomplete
   * counts follow from the record: their position is that of the counts beside it, and two counters that have seen no commit
   * yet begin at different ones.
   */
  #heldIncomplete(from: string): SliceVersion | undefined {
    const held = this.#incomplete;
    return held && (held.from === from || this.#options.isPublishing(held.from)) ? held : undefined;
  }
}
