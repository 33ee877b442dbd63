import type { GrpcStatus } from './grpc-status.ts';
import { ProtobufReader } from './protobuf.ts';
import { COUNT } from './requests.ts';

/** Responses of `google.firestore.v1`, as far as they are needed. Times are Unix time in microseconds, as Firestore has them. */

export type ListenResponse =
  | TargetChange
  | DocumentChange
  | {
      readonly kind: 'removal';
      readonly name: Buffer;
      readonly targetIds: readonly number[];
      readonly readTimeUs: number | undefined;
    }
  | { readonly kind: 'filter'; readonly targetId: number; readonly count: number };

export interface TargetChange {
  readonly kind: 'target';
  readonly change: 'none' | 'add' | 'remove' | 'current' | 'reset';
  /** Empty: all targets. */
  readonly targetIds: readonly number[];
  /** Why the targets were removed. */
  readonly cause: GrpcStatus | undefined;
  readonly resumeToken: Buffer | undefined;
  /** These targets are consistent as of then. */
  readonly readTimeUs: number | undefined;
}

export interface DocumentChange {
  readonly kind: 'document';
  readonly document: Document;
  readonly targetIds: readonly number[];
  readonly removedTargetIds: readonly number[];
}

/** A document as it came: views of its message, of which nobody decodes more than is needed. */
export interface Document {
  readonly name: Buffer;
  /** Each is an entry of the map: name and value. */
  readonly fields: readonly Buffer[];
  readonly updateTimeUs: number;
}

const EMPTY = Buffer.alloc(0);
const CHANGES = ['none', 'add', 'remove', 'current', 'reset'] as const;
/** `undefined`: a kind of response that this protocol did not have. */
export function decodeListenResponse(bytes: Buffer): ListenResponse | undefined {
  const reader = new ProtobufReader(bytes);
  let response: ListenResponse | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) response = decodeTargetChange(reader.message());
    else if (field === 3) response = decodeDocumentChange(reader.message());
    else if (field === 4) response = decodeRemoval(reader.message(), 6);
    else if (field === 5) response = decodeFilter(reader.message());
    else if (field === 6) response = decodeRemoval(reader.message(), 2);
    else reader.skip();
  }
  return response;
}

function decodeTargetChange(reader: ProtobufReader): ListenResponse {
  let change: TargetChange['change'] | undefined = 'none';
  const targetIds: number[] = [];
  let cause: GrpcStatus | undefined;
  let resumeToken: Buffer | undefined;
  let readTimeUs: number | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) change = CHANGES[reader.signed()];
    else if (field === 2) reader.signedInto(targetIds);
    else if (field === 3) cause = decodeStatus(reader.message());
    else if (field === 4) resumeToken = reader.bytes();
    else if (field === 6) readTimeUs = decodeTime(reader.message());
    else reader.skip();
  }
  return { kind: 'target', change: change ?? 'none', targetIds, cause, resumeToken, readTimeUs };
}

function decodeDocumentChange(reader: ProtobufReader): ListenResponse {
  let document: Document = { name: EMPTY, fields: [], updateTimeUs: 0 };
  const targetIds: number[] = [];
  const removedTargetIds: number[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) document = decodeDocument(reader.message());
    else if (field === 5) reader.signedInto(targetIds);
    else if (field === 6) reader.signedInto(removedTargetIds);
    else reader.skip();
  }
  return { kind: 'document', document, targetIds, removedTargetIds };
}

function decodeDocument(reader: ProtobufReader): Document {
  let name: Buffer = EMPTY;
  const fields: Buffer[] = [];
  let updateTimeUs = 0;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) name = reader.bytes();
    else if (field === 2) fields.push(reader.bytes());
    else if (field === 4) updateTimeUs = decodeTime(reader.message());
    else reader.skip();
  }
  return { name, fields, updateTimeUs };
}

/** Reads a DocumentDelete or a DocumentRemove. */
function decodeRemoval(reader: ProtobufReader, targetIdsField: number): ListenResponse {
  let name: Buffer = EMPTY;
  const targetIds: number[] = [];
  let readTimeUs: number | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) name = reader.bytes();
    else if (field === targetIdsField) reader.signedInto(targetIds);
    else if (field === 4) readTimeUs = decodeTime(reader.message());
    else reader.skip();
  }
  return { kind: 'removal', name, targetIds, readTimeUs };
}

function decodeFilter(reader: ProtobufReader): ListenResponse {
  let [targetId, count] = [0, 0];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) targetId = reader.signed();
    else if (field === 2) count = reader.signed();
    else reader.skip();
  }
  return { kind: 'filter', targetId, count };
}

function decodeStatus(reader: ProtobufReader): GrpcStatus {
  let [code, message] = [0, ''];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) code = reader.signed();
    else if (field === 2) message = reader.text();
    else reader.skip();
  }
  return { code, message };
}

export interface CountAnswer {
  readonly count: number;
  readonly readTimeUs: number;
}

/** `undefined`: the response holds no count. */
export function decodeCountResponse(bytes: Buffer): CountAnswer | undefined {
  const reader = new ProtobufReader(bytes);
  let [count, readTimeUs]: (number | undefined)[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) count = decodeAggregation(reader.message());
    else if (field === 3) readTimeUs = decodeTime(reader.message());
    else reader.skip();
  }
  return count === undefined || readTimeUs === undefined ? undefined : { count, readTimeUs };
}

function decodeAggregation(reader: ProtobufReader): number | undefined {
  let count: number | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field !== 2) {
      reader.skip();
      continue;
    }
    const { name, value } = decodeEntry(reader.bytes());
    if (name !== COUNT || !value) continue;
    for (let kind = value.next(); kind !== 0; kind = value.next()) {
      if (kind === 2) count = value.signed();
      else value.skip();
    }
  }
  return count;
}

/** The document of a BatchGetDocumentsResponse; `undefined`: there is none. */
export function decodeFound(bytes: Buffer): Document | undefined {
  const reader = new ProtobufReader(bytes);
  let document: Document | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) document = decodeDocument(reader.message());
    else reader.skip();
  }
  return document;
}

/** An entry of a map of values. */
export function decodeEntry(bytes: Buffer): {
  readonly name: string;
  readonly value: ProtobufReader | undefined;
} {
  const reader = new ProtobufReader(bytes);
  let name = '';
  let value: ProtobufReader | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) name = reader.text();
    else if (field === 2) value = reader.message();
    else reader.skip();
  }
  return { name, value };
}

/** A Timestamp. */
export function decodeTime(reader: ProtobufReader): number {
  let [seconds, nanos] = [0, 0];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) seconds = reader.signed();
    else if (field === 2) nanos = reader.signed();
    else reader.skip();
  }
  return seconds * 1e6 + Math.floor(nanos / 1_000);
}
