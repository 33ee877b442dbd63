import type { EventDetails } from '../../../domain/event-details.ts';
import type { SectorDocument } from '../../../domain/event-state.ts';
import { readEventDetails, readFields, readTicket } from './documents.ts';
import { protocolError } from './firestore-error.ts';
import { type FirestorePlace, idOf, prefixOf } from './firestore-place.ts';
import type { GrpcStatus } from './grpc-status.ts';
import type { DocumentChange, ListenResponse, TargetChange } from './messages.ts';
import type { Target } from './requests.ts';
import { TicketBatch, type TicketMemory, type TicketReading } from './ticket-memory.ts';

/** What a stream has at one read time, beyond what its reading before had. */
export interface Reading extends TicketReading {
  /** All of them, by code; `undefined`: as in the reading before. */
  readonly sectors: readonly SectorDocument[] | undefined;
  readonly metadata: EventDetails | undefined;
}

export interface StreamViewOptions {
  readonly place: FirestorePlace;
  readonly memory: TicketMemory;
  readonly wantsMetadata: boolean;
  readonly add: (target: Target) => void;
  readonly remove: (targetId: number) => void;
  /** Firestore does not let one of the targets be read; the view goes on without it, unless this throws. */
  readonly onRefused: (of: TargetName, cause: GrpcStatus) => void;
  /** Firestore counts `theirs` tickets and the stream has brought `ours`: the tickets are read again from the beginning. */
  readonly onFilterMismatch: (theirs: number, ours: number) => void;
  /** Firestore bills a document. */
  readonly onDocumentRead: (of: TargetName) => void;
}

export type TargetName = 'tickets' | 'sectors' | 'event';

interface TargetState {
  id: number;
  /** It has everything that was committed before it was added. */
  isCurrent: boolean;
  isRefused: boolean;
  hasBroughtDocuments: boolean;
}

/**
 * Turns the responses of one stream into consistent readings.
 *
 *               add                      CURRENT              read time of the whole stream
 *   (a target) ─────▶ reading documents ────────▶ current ────────────────────────────────▶ a reading
 *                           ▲                        │      once all targets are current
 *                           └────────────────────────┘
 *                    RESET, or a filter that does not match: from the beginning
 */
export class StreamView {
  readonly #options: StreamViewOptions;
  readonly #targets: Record<TargetName, TargetState>;
  readonly #prefixes: { readonly tickets: Buffer; readonly sectors: Buffer };
  readonly #sectors = new Map<string, unknown>();
  #areSectorsRead = false;
  #metadata: EventDetails | undefined;
  #tickets: TicketBatch;
  #lastTargetId = 0;
  #readTimeUs = 0;

  constructor(options: StreamViewOptions) {
    this.#options = options;
    const { place, memory, wantsMetadata } = options;
    this.#prefixes = { tickets: prefixOf(place.tickets), sectors: prefixOf(place.sectors) };
    this.#tickets = new TicketBatch(memory.resumeToken === undefined);
    const target = (isRefused = false): TargetState => ({
      id: 0,
      isCurrent: isRefused,
      isRefused,
      hasBroughtDocuments: false,
    });
    this.#targets = {
      event: target(!wantsMetadata || place.event === undefined),
      sectors: target(),
      tickets: target(),
    };
    // The small ones first: they are current before the tickets are.
    for (const name of ['event', 'sectors', 'tickets'] as const)
      if (!this.#targets[name].isRefused) this.#add(name);
  }

  /** Whether everything is there that was committed before it was asked for. */
  get isCurrent(): boolean {
    return Object.values(this.#targets).every(({ isCurrent }) => isCurrent);
  }

  /** An ID that no target of this stream has had. */
  newTargetId(): number {
    this.#lastTargetId += 1;
    return this.#lastTargetId;
  }

  /** Returns the read time where the whole stream is consistent and everything is current. */
  take(response: ListenResponse): number | undefined {
    if (response.kind === 'target') return this.#takeTargetChange(response);
    if (response.kind === 'document') this.#takeDocument(response);
    else if (response.kind === 'removal') this.#takeRemoval(response);
    else this.#takeFilter(response);
    return undefined;
  }

  /** Takes out what has come since the reading before. `at`: what `take` has returned now. */
  read(at: number, resumeToken: Buffer | undefined): Reading {
    const tickets = this.#tickets;
    this.#tickets = new TicketBatch(false);
    const sectors = this.#areSectorsRead ? undefined : this.#sectorDocuments();
    this.#areSectorsRead = true;
    return { readTimeUs: at, resumeToken, tickets, sectors, metadata: this.#metadata };
  }

  #sectorDocuments(): SectorDocument[] {
    return [...this.#sectors]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([code, data]) => ({ code, data }));
  }

  /** Reads all tickets again, from the beginning. */
  readAgain(): void {
    const { memory, remove } = this.#options;
    // No later stream may go on from what is not believed.
    memory.forgetToken();
    remove(this.#targets.tickets.id);
    this.#reset('tickets');
    this.#add('tickets');
  }

  #add(name: TargetName): void {
    const { place, memory, add } = this.#options;
    const target = this.#targets[name];
    target.id = this.newTargetId();
    const token = name === 'tickets' && !this.#tickets.isWhole ? memory.resumeToken : undefined;
    const of = name === 'event' ? { document: place.event ?? '' } : { query: place[name] };
    add({ id: target.id, of, resumeToken: token });
  }

  #takeTargetChange({ change, targetIds, cause, readTimeUs }: TargetChange): number | undefined {
    const names = (['tickets', 'sectors', 'event'] as const).filter((name) => {
      const { id, isRefused } = this.#targets[name];
      return !isRefused && (targetIds.length === 0 || targetIds.includes(id));
    });
    for (const name of names) {
      if (change === 'current') this.#complete(name);
      else if (change === 'reset') this.#reset(name);
      else if (change === 'remove') this.#refuse(name, cause);
    }
    if (change !== 'none' || targetIds.length > 0 || readTimeUs === undefined) return undefined;
    if (readTimeUs < this.#readTimeUs) throw protocolError('its read time went back');
    this.#readTimeUs = readTimeUs;
    return this.isCurrent ? readTimeUs : undefined;
  }

  #complete(name: TargetName): void {
    const target = this.#targets[name];
    // A query without a result is billed as one document.
    if (!target.isCurrent && !target.hasBroughtDocuments) this.#options.onDocumentRead(name);
    target.isCurrent = true;
  }

  #reset(name: TargetName): void {
    this.#targets[name].isCurrent = false;
    this.#targets[name].hasBroughtDocuments = false;
    if (name === 'tickets') this.#tickets = new TicketBatch(true);
    else if (name === 'sectors') this.#setSector();
    else this.#metadata = undefined;
  }

  #refuse(name: TargetName, cause: GrpcStatus | undefined): void {
    this.#options.onRefused(name, cause ?? { code: 0, message: '' });
    this.#reset(name);
    Object.assign(this.#targets[name], { isCurrent: true, isRefused: true });
  }

  #takeDocument({ document, targetIds, removedTargetIds }: DocumentChange): void {
    const { memory } = this.#options;
    const { tickets, sectors, event } = this.#targets;
    const { name, updateTimeUs } = document;
    if (targetIds.includes(tickets.id)) {
      const id = idOf(name, this.#prefixes.tickets);
      if (id === undefined) throw protocolError('a ticket is in another collection');
      memory.addTo(this.#tickets, id, readTicket(document), updateTimeUs);
      this.#countRead('tickets');
    } else if (targetIds.includes(sectors.id)) {
      const code = idOf(name, this.#prefixes.sectors);
      if (code !== undefined) this.#setSector(code, readFields(document));
      this.#countRead('sectors');
    } else if (targetIds.includes(event.id)) {
      this.#metadata = readEventDetails(document);
      this.#countRead('event');
    }
    if (removedTargetIds.length > 0) this.#remove(name, removedTargetIds, updateTimeUs);
  }

  /** No data: the document was removed; no code: all were. */
  #setSector(code?: string, data?: object): void {
    this.#areSectorsRead = false;
    if (code === undefined) this.#sectors.clear();
    else if (data) this.#sectors.set(code, data);
    else this.#sectors.delete(code);
  }

  #countRead(name: TargetName): void {
    this.#targets[name].hasBroughtDocuments = true;
    this.#options.onDocumentRead(name);
  }

  #takeRemoval({ name, targetIds, readTimeUs }: Extract<ListenResponse, { kind: 'removal' }>): void {
    this.#remove(name, targetIds, readTimeUs ?? this.#readTimeUs);
  }

  #remove(name: Buffer, targetIds: readonly number[], atUs: number): void {
    const { tickets, sectors, event } = this.#targets;
    if (targetIds.includes(tickets.id)) {
      const id = idOf(name, this.#prefixes.tickets);
      if (id !== undefined) this.#options.memory.removeIn(this.#tickets, id, atUs);
    }
    const code = targetIds.includes(sectors.id) ? idOf(name, this.#prefixes.sectors) : undefined;
    if (code !== undefined) this.#setSector(code);
    if (targetIds.includes(event.id)) this.#metadata = undefined;
  }

  /** Only the tickets' one matters: what the other targets lack comes with the next stream. */
  #takeFilter({ targetId, count }: Extract<ListenResponse, { kind: 'filter' }>): void {
    if (targetId !== this.#targets.tickets.id) return;
    const ours = this.#options.memory.sizeAfter(this.#tickets);
    if (ours === count) return;
    this.#options.onFilterMismatch(count, ours);
    this.readAgain();
  }
}
