import { encodeBytes, encodeMessage, encodeNumber } from './protobuf.ts';

/** Requests of `google.firestore.v1`, as far as they are needed. Times are Unix time in microseconds, as Firestore has them. */

export interface Query {
  /** The document that the collection belongs to, or the root of all documents. */
  readonly parent: string;
  readonly collectionId: string;
  /** All of these hold. */
  readonly where: readonly Condition[];
}

export interface Condition {
  readonly field: string;
  readonly equals: string | boolean;
}

export interface Target {
  readonly id: number;
  readonly of: { readonly query: Query } | { readonly document: string };
  /** Only changes since the snapshot of this token are sent; without a token, everything. */
  readonly resumeToken: Buffer | undefined;
}

const OPERATOR_AND = 1;
const OPERATOR_EQUAL = 5;

/** The alias of the count in the response. */
export const COUNT = 'count';

export function encodeAddTarget(database: string, { id, of, resumeToken }: Target): Buffer {
  const target = encodeMessage(
    'query' in of
      ? encodeBytes(2, encodeMessage(encodeBytes(1, of.query.parent), encodeBytes(2, encodeQuery(of.query))))
      : encodeBytes(3, encodeBytes(2, of.document)),
    ...(resumeToken ? [encodeBytes(4, resumeToken)] : []),
    encodeNumber(5, id),
  );
  return encodeMessage(encodeBytes(1, database), encodeBytes(2, target));
}

export function encodeRemoveTarget(database: string, id: number): Buffer {
  return encodeMessage(encodeBytes(1, database), encodeNumber(3, id));
}

/** `readTimeUs`: as of then; `undefined`: as of now. */
export function encodeCount(query: Query, readTimeUs: number | undefined): Buffer {
  const count = encodeMessage(encodeBytes(1, ''), encodeBytes(7, COUNT));
  return encodeMessage(
    encodeBytes(1, query.parent),
    encodeBytes(2, encodeMessage(encodeBytes(1, encodeQuery(query)), encodeBytes(3, count))),
    ...(readTimeUs === undefined ? [] : [encodeBytes(6, encodeTime(readTimeUs))]),
  );
}

/** `fields`: those of the documents that are asked for. */
export function encodeBatchGet(
  database: string,
  documents: readonly string[],
  fields: readonly string[],
): Buffer {
  return encodeMessage(
    encodeBytes(1, database),
    ...documents.map((name) => encodeBytes(2, name)),
    encodeBytes(3, encodeMessage(...fields.map((field) => encodeBytes(1, field)))),
  );
}

function encodeQuery({ collectionId, where }: Query): Buffer {
  const filters = where.map(({ field, equals }) =>
    encodeBytes(
      2,
      encodeMessage(
        encodeBytes(1, encodeBytes(2, field)),
        encodeNumber(2, OPERATOR_EQUAL),
        encodeBytes(
          3,
          typeof equals === 'string' ? encodeBytes(17, equals) : encodeNumber(1, Number(equals)),
        ),
      ),
    ),
  );
  const filter =
    filters.length < 2
      ? filters
      : [
          encodeBytes(
            1,
            encodeMessage(encodeNumber(1, OPERATOR_AND), ...filters.map((each) => encodeBytes(2, each))),
          ),
        ];
  return encodeMessage(
    encodeBytes(2, encodeBytes(2, collectionId)),
    ...filter.map((each) => encodeBytes(3, each)),
  );
}

function encodeTime(timeUs: number): Buffer {
  return encodeMessage(encodeNumber(1, Math.floor(timeUs / 1e6)), encodeNumber(2, (timeUs % 1e6) * 1_000));
}
