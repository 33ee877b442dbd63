import { status } from '@grpc/grpc-js';
import { collectionOf, type Selection } from './document-store.ts';
import type { AddedTarget, Micros } from './messages.ts';
import { readQuery } from './query.ts';
import { notPlayed, StatusError } from './status-error.ts';

/** What a stream of `Listen` follows. */
export interface Target extends Selection {
  readonly resource: string;
  /** The names of a target of single documents, which exist or do not. */
  readonly names: readonly string[];
}

/** Reads what a client wants to follow. */
export function targetOf(query: AddedTarget['query'], documents: AddedTarget['documents']): Target {
  if (documents) {
    const names = new Set(documents.documents);
    const collections = new Set(documents.documents.map(collectionOf));
    return {
      resource: documents.documents[0] ?? '',
      names: documents.documents,
      selects: ({ name }) => names.has(name),
      isIn: (collection) => collections.has(collection),
    };
  }
  if (!query) throw new StatusError(status.INVALID_ARGUMENT, 'A target is a query, or names documents.');
  const read = readQuery(query.parent, query.structuredQuery);
  if (read.fields) throw new StatusError(status.INVALID_ARGUMENT, 'A listener cannot select fields.');
  if (read.limit < Infinity || read.offset > 0) throw notPlayed('listeners with a limit');
  return { resource: query.parent, names: [], ...read };
}

const TOKEN_LENGTH = 8;

/** A token that resumes a target after this time. */
export function tokenOf(at: Micros): Uint8Array {
  const token = Buffer.alloc(TOKEN_LENGTH);
  token.writeBigUInt64BE(BigInt(at));
  return token;
}

/** The time of a token; 0: there is no token. 1: it is none of ours, and too old. */
export function timeOf(token: Uint8Array | undefined): Micros {
  if (!token || token.length === 0) return 0;
  if (token.length !== TOKEN_LENGTH) return 1;
  return Math.min(Number(Buffer.from(token).readBigUInt64BE()), Number.MAX_SAFE_INTEGER);
}
