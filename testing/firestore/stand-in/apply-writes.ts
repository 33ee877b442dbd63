import { status } from '@grpc/grpc-js';
import type { DocumentChange, DocumentChanges, DocumentStore, StoredDocument } from './document-store.ts';
import {
  type FieldTransform,
  type Fields,
  type Micros,
  microsOf,
  type Precondition,
  timestampOf,
  type Value,
  type Write,
  type WriteResult,
} from './messages.ts';
import { notPlayed, StatusError } from './status-error.ts';
import { fieldsText, pathOf, valueAt, withValueAt } from './values.ts';

const REQUEST_TIME = 1;

interface Applied {
  /** Those documents that are no longer what they were. */
  readonly changes: DocumentChanges;
  readonly results: readonly WriteResult[];
}

/** What these writes change, in their order, as one commit at this time; throws where one of them must not be done. */
export function applyWrites(store: DocumentStore, writes: readonly Write[], at: Micros): Applied {
  const changed = new Map<string, DocumentChange>();
  const results: WriteResult[] = [];
  for (const write of writes) {
    const name = write.update?.name ?? write.delete;
    if (name === undefined) throw notPlayed('a write that neither updates nor deletes a document');
    const change = changed.get(name);
    const current = change ? change.after : store.get(name);
    check(name, current, write.currentDocument);
    const { after, transformResults } = afterWrite(name, current, write, at);
    results.push({ ...(after ? { updateTime: timestampOf(after.updatedAt) } : {}), transformResults });
    changed.set(name, { before: change ? change.before : current, after });
  }
  // A document that is in the end what it was before has not changed.
  return { changes: new Map([...changed].filter(([, { before, after }]) => before !== after)), results };
}

function check(
  name: string,
  current: StoredDocument | undefined,
  { exists, updateTime }: Precondition = {},
): void {
  if (exists === true && !current) throw new StatusError(status.NOT_FOUND, `No document to update: ${name}`);
  if (exists === false && current)
    throw new StatusError(status.ALREADY_EXISTS, `Document already exists: ${name}`);
  if (updateTime && current?.updatedAt !== microsOf(updateTime))
    throw new StatusError(
      status.FAILED_PRECONDITION,
      `The stored version of ${name} does not match the required base version.`,
    );
}

function afterWrite(
  name: string,
  current: StoredDocument | undefined,
  { update, updateMask, updateTransforms }: Write,
  at: Micros,
): { readonly after: StoredDocument | undefined; readonly transformResults: readonly Value[] } {
  if (!update) return { after: undefined, transformResults: [] };
  const transformResults: Value[] = [];
  let fields = updateMask
    ? merged(current?.fields ?? {}, update.fields, updateMask.fieldPaths)
    : update.fields;
  for (const transform of updateTransforms) {
    const path = pathOf(transform.fieldPath);
    const value = transformed(valueAt(fields, path), transform, at);
    fields = withValueAt(fields, path, value);
    transformResults.push(value);
  }
  // A write without a change keeps the time of the last one.
  if (current && fieldsText(current.fields) === fieldsText(fields))
    return { after: current, transformResults };
  const after = { name, fields, createdAt: current?.createdAt ?? at, updatedAt: at };
  return { after, transformResults };
}

function merged(current: Fields, update: Fields, paths: readonly string[]): Fields {
  let fields = current;
  for (const fieldPath of paths) {
    const path = pathOf(fieldPath);
    fields = withValueAt(fields, path, valueAt(update, path));
  }
  return fields;
}

function transformed(
  value: Value | undefined,
  { setToServerValue, increment }: FieldTransform,
  at: Micros,
): Value {
  if (setToServerValue === REQUEST_TIME) return { timestampValue: timestampOf(at) };
  if (increment?.integerValue === undefined) throw notPlayed('a transformation of this kind');
  const summand = value?.integerValue ?? '0';
  return { integerValue: String(BigInt(summand) + BigInt(increment.integerValue)) };
}
