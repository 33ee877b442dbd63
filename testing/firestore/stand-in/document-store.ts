import { status } from '@grpc/grpc-js';
import { type DocumentMessage, type Fields, type Micros, timestampOf } from './messages.ts';
import { StatusError } from './status-error.ts';

export interface StoredDocument {
  readonly name: string;
  readonly fields: Fields;
  readonly createdAt: Micros;
  readonly updatedAt: Micros;
}

/** A document before and after one commit or several; `undefined` where it did not exist. */
export interface DocumentChange {
  readonly before: StoredDocument | undefined;
  readonly after: StoredDocument | undefined;
}

export type DocumentChanges = ReadonlyMap<string, DocumentChange>;

export interface Selection {
  selects(document: StoredDocument): boolean;
  /** Whether it can select documents of this collection. */
  isIn(collection: string): boolean;
}

/** The last changes, this many, can be undone for reads at a former time, and followed from a resume token. */
const KEPT_CHANGES = 250_000;

/**
 * All documents of all databases, in memory, and what the last commits have changed. Each commit has a time of its own, and
 * no two times are the same.
 */
export class DocumentStore {
  readonly #collections = new Map<string, Map<string, StoredDocument>>();
  readonly #commits: { readonly at: Micros; readonly changes: DocumentChanges }[] = [];
  #keptChanges = 0;
  /** Changes up to this time are forgotten. */
  #knownSince: Micros;
  #last: Micros = 0;

  constructor() {
    this.#knownSince = this.now();
  }

  /** The clock of this machine, but later than every time that it gave before. */
  now(): Micros {
    this.#last = Math.max(this.#last + 1, Date.now() * 1_000);
    return this.#last;
  }

  get(name: string): StoredDocument | undefined {
    return this.#collections.get(collectionOf(name))?.get(name);
  }

  /** Those documents, now or at a former time, by name. */
  select(selection: Selection, at?: Micros): Map<string, StoredDocument> {
    const selected = new Map<string, StoredDocument>();
    for (const [collection, documents] of this.#collections) {
      if (!selection.isIn(collection)) continue;
      for (const document of documents.values())
        if (selection.selects(document)) selected.set(document.name, document);
    }
    if (at === undefined) return selected;
    for (const [name, { before }] of this.changesSinceOrThrow(at)) {
      if (before && selection.selects(before)) selected.set(name, before);
      else selected.delete(name);
    }
    return selected;
  }

  commit(at: Micros, changes: DocumentChanges): void {
    for (const [name, { after }] of changes) {
      const path = collectionOf(name);
      const collection = this.#collections.get(path) ?? new Map<string, StoredDocument>();
      this.#collections.set(path, collection);
      if (after) collection.set(name, after);
      else collection.delete(name);
    }
    this.#commits.push({ at, changes });
    this.#keptChanges += changes.size;
    while (this.#keptChanges > KEPT_CHANGES) this.#forgetOldest();
  }

  /** What has changed since then, as if in one commit; `undefined` where that is no longer known. */
  changesSince(since: Micros): DocumentChanges | undefined {
    if (since < this.#knownSince) return undefined;
    let first = this.#commits.length;
    while (first > 0 && (this.#commits[first - 1]?.at ?? 0) > since) first -= 1;
    const commits = this.#commits.slice(first);
    if (commits.length === 1) return commits[0]?.changes;
    const all = new Map<string, DocumentChange>();
    for (const { changes } of commits)
      for (const [name, { before, after }] of changes) {
        const earlier = all.get(name);
        all.set(name, { before: earlier ? earlier.before : before, after });
      }
    return all;
  }

  changesSinceOrThrow(since: Micros): DocumentChanges {
    if (since > this.#last)
      throw new StatusError(status.INVALID_ARGUMENT, 'The requested read_time is in the future.');
    const changes = this.changesSince(since);
    if (!changes) throw new StatusError(status.FAILED_PRECONDITION, 'The requested read_time is too old.');
    return changes;
  }

  /** Resume tokens and read times until now lead nowhere. */
  forgetChanges(): void {
    while (this.#commits.length > 0) this.#forgetOldest();
    this.#knownSince = this.now();
  }

  #forgetOldest(): void {
    const oldest = this.#commits.shift();
    if (!oldest) return;
    this.#keptChanges -= oldest.changes.size;
    this.#knownSince = oldest.at;
  }
}

export function collectionOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/'));
}

export function messageOf({ name, fields, createdAt, updatedAt }: StoredDocument): DocumentMessage {
  return { name, fields, createTime: timestampOf(createdAt), updateTime: timestampOf(updatedAt) };
}
