import type { SectorDocument } from '../../../domain/event-state.ts';
import { oneEventId } from '../../../domain/event.ts';
import type { PgoutputMessage, Relation, Tuple } from './pgoutput.ts';

type Changed = readonly (readonly [eventId: string, documents: SectorDocument[]])[];

const NONE: Changed = [];

/**
 * The sector documents of one event, or of all, kept up from the stream itself. Reading the table again after a change
 * would be too early: a commit reaches the stream before other sessions see it.
 */
export class SectorDocuments {
  readonly #eventId: string | undefined;
  /** The documents by event and code, with the data as the database wrote it. */
  readonly #documents = new Map<string, Map<string, string>>();
  #relation: Relation | undefined;
  readonly #changed = new Set<string>();

  /** `eventId`: the only one; `undefined`: all are. */
  constructor(eventId: string | undefined, documents: ReadonlyMap<string, readonly SectorDocument[]>) {
    this.#eventId = eventId;
    for (const [event, all] of documents) {
      const texts = all.map(({ code, data }) => [code, JSON.stringify(data)] as const);
      this.#documents.set(event, new Map(texts));
    }
  }

  describe(relation: Relation): void {
    this.#relation = relation;
  }

  truncate(relationIds: readonly number[]): void {
    if (!this.#relation || !relationIds.includes(this.#relation.id)) return;
    for (const eventId of this.#documents.keys()) this.#changed.add(eventId);
    this.#documents.clear();
  }

  apply(message: Extract<PgoutputMessage, { relationId: number }>): void {
    if (!this.#relation || message.relationId !== this.#relation.id) return;
    const { kind } = message;
    const after = kind === 'delete' ? undefined : message.after;
    // An update that keeps its key comes without the old one.
    const before = kind === 'insert' ? undefined : (message.before ?? after);
    const old = before && this.#take(before);
    if (after) this.#put(after, old);
  }

  /** Returns all documents, by code, of the events whose documents the ending transaction has changed. */
  commit(): Changed {
    if (this.#changed.size === 0) return NONE;
    const changed = [...this.#changed].map((eventId) => [eventId, this.#of(eventId)] as const);
    this.#changed.clear();
    return changed;
  }

  #of(eventId: string): SectorDocument[] {
    const documents = [...(this.#documents.get(eventId) ?? [])];
    return documents
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([code, data]) => ({ code, data: JSON.parse(data) as unknown }));
  }

  #take(tuple: Tuple): string | undefined {
    const eventId = this.#eventOf(tuple);
    const documents = eventId === undefined ? undefined : this.#documents.get(eventId);
    if (eventId === undefined || !documents) return undefined;
    const code = this.#value(tuple, 'code') ?? '';
    const data = documents.get(code);
    if (documents.delete(code)) this.#changed.add(eventId);
    if (documents.size === 0) this.#documents.delete(eventId);
    return data;
  }

  /** `old`: its data until now, which a large and unchanged value is not repeated for. */
  #put(tuple: Tuple, old: string | undefined): void {
    const eventId = this.#eventOf(tuple);
    if (eventId === undefined || (this.#eventId !== undefined && eventId !== this.#eventId)) return;
    const documents = this.#documents.get(eventId) ?? new Map<string, string>();
    documents.set(this.#value(tuple, 'code') ?? '', this.#value(tuple, 'data') ?? old ?? 'null');
    this.#documents.set(eventId, documents);
    this.#changed.add(eventId);
  }

  #eventOf(tuple: Tuple): string | undefined {
    const eventId = this.#value(tuple, 'event_id');
    return eventId === undefined ? undefined : oneEventId(eventId);
  }

  #value(tuple: Tuple, column: string): string | undefined {
    const index = this.#relation?.columns.findIndex(({ name }) => name === column) ?? -1;
    return tuple[index] ?? undefined;
  }
}
