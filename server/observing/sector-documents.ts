import type { SectorDocument } from '../../domain/event-state.ts';
import type { PgoutputMessage, Relation, Tuple } from './pgoutput.ts';

/**
 * The sector documents of one event, kept up from the stream itself. Reading the table again after a change
 * would be too early: a commit reaches the stream before other sessions see it.
 */
export class SectorDocuments {
  readonly #eventId: string;
  /** By code; the data as the database wrote it. */
  readonly #documents = new Map<string, string>();
  #relation: Relation | undefined;
  #changed = false;

  constructor(eventId: string, documents: readonly SectorDocument[]) {
    this.#eventId = eventId;
    for (const { code, data } of documents) this.#documents.set(code, JSON.stringify(data));
  }

  describe(relation: Relation): void {
    this.#relation = relation;
  }

  truncate(relationIds: readonly number[]): void {
    if (!this.#relation || !relationIds.includes(this.#relation.id)) return;
    this.#documents.clear();
    this.#changed = true;
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

  /** The documents by code, if the transaction that ends here has changed them. */
  commit(): SectorDocument[] | undefined {
    if (!this.#changed) return undefined;
    this.#changed = false;
    return [...this.#documents.keys()].toSorted().map((code) => ({
      code,
      data: JSON.parse(this.#documents.get(code) ?? 'null') as unknown,
    }));
  }

  #take(tuple: Tuple): string | undefined {
    if (this.#value(tuple, 'event_id') !== this.#eventId) return undefined;
    const code = this.#value(tuple, 'code') ?? '';
    const data = this.#documents.get(code);
    this.#changed ||= this.#documents.delete(code);
    return data;
  }

  /** `old`: its data until now, which a large and unchanged value is not repeated for. */
  #put(tuple: Tuple, old: string | undefined): void {
    if (this.#value(tuple, 'event_id') !== this.#eventId) return;
    const data = this.#value(tuple, 'data') ?? old ?? 'null';
    this.#documents.set(this.#value(tuple, 'code') ?? '', data);
    this.#changed = true;
  }

  #value(tuple: Tuple, column: string): string | undefined {
    const index = this.#relation?.columns.findIndex(({ name }) => name === column) ?? -1;
    return tuple[index] ?? undefined;
  }
}
