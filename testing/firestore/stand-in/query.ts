import { status } from '@grpc/grpc-js';
import { collectionOf, type DocumentStore, type Selection, type StoredDocument } from './document-store.ts';
import type { Fields, Filter, Micros, StructuredQuery } from './messages.ts';
import { notPlayed, StatusError } from './status-error.ts';
import { equalTo, pathOf, valueAt } from './values.ts';

const [AND, EQUAL, DESCENDING] = [1, 5, 2];

type Condition = (fields: Fields) => boolean;

export interface Query extends Selection {
  readonly offset: number;
  readonly limit: number;
  /** The fields that are returned; `undefined`: all of them. */
  readonly fields: ReadonlySet<string> | undefined;
}

/**
 * Reads a query on one collection, or on all collections of a name, with equalities: all that the specification's page and
 * the sources of tickets ask.
 */
export function readQuery(parent: string, query: StructuredQuery): Query {
  const [from, ...others] = query.from;
  if (!from || others.length > 0)
    throw new StatusError(status.INVALID_ARGUMENT, 'A query has one collection.');
  const isByName = query.orderBy.every(
    ({ field, direction }) => field.fieldPath === '__name__' && direction !== DESCENDING,
  );
  if (!isByName) throw notPlayed('an order other than by name');
  if (query.startAt ?? query.endAt ?? query.findNearest) throw notPlayed('cursors and nearest neighbours');
  const { collectionId, allDescendants = false } = from;
  const [below, own] = [`${parent}/`, `${parent}/${collectionId}`];
  const isIn = allDescendants
    ? (collection: string) => collection.startsWith(below) && collection.endsWith(`/${collectionId}`)
    : (collection: string) => collection === own;
  const holds = query.where ? conditionOf(query.where) : () => true;
  return {
    isIn,
    // What is quickest to refute comes first: a stadium is compared while gates write.
    selects: ({ name, fields }) => holds(fields) && isIn(collectionOf(name)),
    offset: query.offset ?? 0,
    limit: query.limit?.value ?? Infinity,
    fields: query.select && new Set(query.select.fields.map(({ fieldPath }) => fieldPath)),
  };
}

function conditionOf({ compositeFilter, fieldFilter }: Filter): Condition {
  if (compositeFilter) {
    if (compositeFilter.op !== AND) throw notPlayed('an alternative in a filter');
    const conditions = compositeFilter.filters.map(conditionOf);
    return (fields) => conditions.every((holds) => holds(fields));
  }
  if (fieldFilter?.op !== EQUAL) throw notPlayed('a filter that is no equality');
  const path = pathOf(fieldFilter.field.fieldPath);
  const isEqual = equalTo(fieldFilter.value);
  return (fields) => {
    const value = valueAt(fields, path);
    return value !== undefined && isEqual(value);
  };
}

/** The documents of a query, in its order, with the fields that it asks for. */
export function runQuery(store: DocumentStore, query: Query, at?: Micros): readonly StoredDocument[] {
  const { offset, limit, fields } = query;
  const documents = [...store.select(query, at).values()]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .slice(offset, offset + limit);
  return fields ? documents.map((document) => withFields(document, fields)) : documents;
}

function withFields(document: StoredDocument, names: ReadonlySet<string>): StoredDocument {
  const fields = Object.fromEntries(Object.entries(document.fields).filter(([name]) => names.has(name)));
  return { ...document, fields };
}
