import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type Metadata,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { applyWrites } from './apply-writes.ts';
import { collectionOf, type DocumentStore, messageOf, type Selection } from './document-store.ts';
import type { CallName, FaultState } from './faults.ts';
import {
  type Micros,
  microsOf,
  type Status,
  type StructuredQuery,
  type Timestamp,
  timestampOf,
  type Write,
  type WriteResult,
} from './messages.ts';
import { readQuery, runQuery } from './query.ts';
import { notPlayed, statusOf } from './status-error.ts';
import type { Transactions } from './transactions.ts';

export interface ServiceParts {
  readonly store: DocumentStore;
  readonly transactions: Transactions;
  readonly faults: FaultState;
  /** Throws where the caller may not do it in the project of this resource. */
  readonly checkRight: (metadata: Metadata, right: 'read' | 'write', resource: string) => void;
  /** Bills this number of document reads. */
  readonly countReads: (documents: number) => void;
  /** Something has been committed. */
  readonly onCommit: () => void;
}

/** Each request names the database, or a resource in it. */
interface Request {
  readonly database?: string;
  readonly parent?: string;
}

/** What a read asks for, beside its documents. */
interface Reading extends Request {
  readonly transaction?: Uint8Array;
  readonly newTransaction?: { readonly readOnly?: unknown };
  readonly readTime?: Timestamp;
}

interface WriteRequest extends Request {
  readonly writes: readonly Write[];
  readonly transaction?: Uint8Array;
}

interface QueryRequest extends Reading {
  readonly parent: string;
  readonly structuredQuery?: StructuredQuery;
}

interface CountRequest extends Reading {
  readonly parent: string;
  readonly structuredAggregationQuery?: {
    readonly structuredQuery?: StructuredQuery;
    readonly aggregations: readonly { readonly count?: unknown; readonly alias?: string }[];
  };
}

/** This many index entries are billed as one document. */
const ENTRIES_PER_READ = 1_000;

/** The calls of google.firestore.v1 but `Listen`. What is not here is answered UNIMPLEMENTED. */
export function serviceOf(parts: ServiceParts): Omit<UntypedServiceImplementation, 'Listen'> {
  const { store, transactions, countReads, onCommit } = parts;

  /** Reads at one time; `first` is what the first response has beside its result. */
  function begin(reading: Reading, of: Selection): { at: Micros; past: Micros | undefined; first: object } {
    const { transaction, newTransaction, readTime } = reading;
    const past = readTime && microsOf(readTime);
    const at = past ?? store.now();
    const id = newTransaction ? transactions.begin() : transaction;
    if (id && id.length > 0) transactions.noteRead(id, { at, of });
    return { at, past, first: newTransaction ? { transaction: id } : {} };
  }

  function commit(writes: readonly Write[]): { at: Micros; results: readonly WriteResult[] } {
    const at = store.now();
    const { changes, results } = applyWrites(store, writes, at);
    if (changes.size > 0) {
      store.commit(at, changes);
      onCommit();
    }
    return { at, results };
  }

  const calls = {
    Commit: unary(parts, 'write', 'Commit', (request: WriteRequest) => {
      if (request.transaction && request.transaction.length > 0) transactions.finish(request.transaction);
      const { at, results } = commit(request.writes);
      return { writeResults: results, commitTime: timestampOf(at) };
    }),
    BatchWrite: unary(parts, 'write', 'BatchWrite', ({ writes }: WriteRequest) => {
      const outcomes = writes.map((write): { result: WriteResult; outcome: Status } => {
        try {
          return { result: commit([write]).results[0] ?? {}, outcome: { code: 0, message: '' } };
        } catch (error) {
          const { code, message } = statusOf(error);
          return { result: {}, outcome: { code, message } };
        }
      });
      return {
        writeResults: outcomes.map(({ result }) => result),
        status: outcomes.map(({ outcome }) => outcome),
      };
    }),
    BeginTransaction: unary(parts, 'read', 'BeginTransaction', () => ({ transaction: transactions.begin() })),
    Rollback: unary(parts, 'read', 'Rollback', ({ transaction = new Uint8Array() }: Reading) => {
      transactions.rollback(transaction);
      return {};
    }),
    BatchGetDocuments: streaming(
      parts,
      'BatchGetDocuments',
      (request: Reading & { documents: readonly string[] }) => {
        const names = new Set(request.documents);
        const collections = new Set(request.documents.map(collectionOf));
        const of: Selection = {
          selects: ({ name }) => names.has(name),
          isIn: (collection) => collections.has(collection),
        };
        const { at, past, first } = begin(request, of);
        const found = past === undefined ? undefined : store.select(of, past);
        countReads(names.size);
        const readTime = timestampOf(at);
        const results = [...names].map((name) => {
          const document = found ? found.get(name) : store.get(name);
          return document ? { found: messageOf(document), readTime } : { missing: name, readTime };
        });
        return [...('transaction' in first ? [first] : []), ...results];
      },
    ),
    RunQuery: streaming(parts, 'RunQuery', (request: QueryRequest) => {
      if (!request.structuredQuery) throw notPlayed('queries of this kind');
      const query = readQuery(request.parent, request.structuredQuery);
      const { at, past, first } = begin(request, query);
      const documents = runQuery(store, query, past);
      countReads(Math.max(1, documents.length));
      const readTime = timestampOf(at);
      const results = documents.map((document) => ({ document: messageOf(document), readTime }));
      return [...('transaction' in first ? [first] : []), ...(results.length > 0 ? results : [{ readTime }])];
    }),
    RunAggregationQuery: streaming(parts, 'RunAggregationQuery', (request: CountRequest) => {
      const { structuredQuery, aggregations = [] } = request.structuredAggregationQuery ?? {};
      if (!structuredQuery || aggregations.some(({ count }) => !count)) throw notPlayed('this aggregation');
      const query = readQuery(request.parent, structuredQuery);
      const { at, past, first } = begin(request, query);
      const count = Math.min(query.limit, store.select(query, past).size);
      countReads(Math.max(1, Math.ceil(count / ENTRIES_PER_READ)));
      const aggregateFields = Object.fromEntries(
        aggregations.map(({ alias }, index) => [
          alias ?? `field_${index + 1}`,
          { integerValue: String(count) },
        ]),
      );
      return [{ ...first, result: { aggregateFields }, readTime: timestampOf(at) }];
    }),
  } satisfies Record<CallName, unknown>;
  return calls;
}

function unary<Asked extends Request>(
  { faults, checkRight }: ServiceParts,
  right: 'read' | 'write',
  name: CallName,
  answer: (request: Asked) => object,
): handleUnaryCall<Asked, unknown> {
  return (call, callback) => {
    faults.whenAnswered(name, () => {
      try {
        faults.checkCall(name);
        checkRight(call.metadata, right, resourceOf(call.request));
        callback(null, answer(call.request));
      } catch (error) {
        callback(statusOf(error));
      }
    });
  };
}

function streaming<Asked extends Request>(
  { faults, checkRight }: ServiceParts,
  name: CallName,
  answer: (request: Asked) => readonly object[],
): handleServerStreamingCall<Asked, unknown> {
  return (call) => {
    faults.whenAnswered(name, () => {
      try {
        faults.checkCall(name);
        checkRight(call.metadata, 'read', resourceOf(call.request));
        for (const response of answer(call.request)) call.write(response);
        call.end();
      } catch (error) {
        call.emit('error', statusOf(error));
      }
    });
  };
}

function resourceOf({ database, parent }: Request): string {
  return database ?? parent ?? '';
}
