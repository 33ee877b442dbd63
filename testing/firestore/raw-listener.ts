import { Client, type ClientDuplexStream, credentials, Metadata } from '@grpc/grpc-js';
import { closeOnce } from '../close-once.ts';
import {
  type AddedTarget,
  type Filter,
  type ListenRequest,
  type ListenResponse,
  microsOf,
  TARGET_CHANGE,
  type TargetChange,
  type Value,
} from './stand-in/messages.ts';
import { methodOf } from './stand-in/protocol.ts';

/** One stream of `Listen`, message by message, without a library that hides any. */
export interface RawListener {
  readonly messages: readonly ListenResponse[];
  /** The messages since the last call, in words: `change a: 2 4`. */
  take(): readonly string[];
  add(target: AddedTarget): void;
  remove(targetId: number): void;
}

interface RawListenerOptions {
  /** `undefined`: without a bearer token. Default: the emulator's owner. */
  readonly token?: string | undefined;
}

/** Opens it; closed with the test. */
export function openRawListener(
  host: string,
  project: string,
  options: RawListenerOptions = {},
): RawListener {
  const { token } = { token: 'owner', ...options };
  const client = new Client(host, credentials.createInsecure());
  const metadata = new Metadata();
  const database = databaseOf(project);
  metadata.set('google-cloud-resource-prefix', database);
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  const { path, requestSerialize, responseDeserialize } = methodOf('Listen');
  const stream = client.makeBidiStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
    metadata,
  ) as ClientDuplexStream<ListenRequest, ListenResponse>;
  const messages: ListenResponse[] = [];
  let taken = 0;
  stream.on('data', (message) => messages.push(message));
  // It ends with the test.
  stream.on('error', () => {});
  closeOnce(() => {
    stream.cancel();
    client.close();
  });
  return {
    messages,
    take() {
      const [from, to] = [taken, messages.length];
      taken = to;
      return messages.slice(from, to).map(textOf);
    },
    add: (addTarget) => void stream.write({ database, addTarget }),
    remove: (removeTarget) => void stream.write({ database, removeTarget }),
  };
}

/** The tickets of an event, or those whose fields have these values. */
export function ticketsTarget(
  project: string,
  event: string,
  values: Readonly<Record<string, Value>> = {},
): Pick<AddedTarget, 'query'> {
  const filters = Object.entries(values).map(([fieldPath, value]): Filter => ({
    fieldFilter: { field: { fieldPath }, op: 5, value },
  }));
  const [first, second] = filters;
  const where = first && second ? { compositeFilter: { op: 1, filters } } : first;
  const from = [{ collectionId: 'tickets' }];
  return {
    query: {
      parent: `${databaseOf(project)}/documents/events/${event}`,
      structuredQuery: { from, orderBy: [], ...(where && { where }) },
    },
  };
}

export function documentTarget(project: string, ...paths: readonly string[]): Pick<AddedTarget, 'documents'> {
  return { documents: { documents: paths.map((path) => `${databaseOf(project)}/documents/${path}`) } };
}

const CHANGE_NAMES = Object.keys(TARGET_CHANGE);

/** Removes times and tokens, which differ between services. */
function textOf({
  targetChange,
  documentChange,
  documentDelete,
  documentRemove,
  filter,
}: ListenResponse): string {
  if (targetChange) return changeText(targetChange);
  if (documentChange) {
    const { document, targetIds, removedTargetIds } = documentChange;
    const left = removedTargetIds.map((id) => `-${id}`);
    return `change ${idOf(document.name)}: ${[...targetIds, ...left].join(' ')}`;
  }
  if (documentDelete) return `delete ${idOf(documentDelete.document)}: ${ids(documentDelete)}`;
  if (documentRemove) return `remove ${idOf(documentRemove.document)}: ${ids(documentRemove)}`;
  return filter ? `filter ${filter.targetId}: ${filter.count}` : 'nothing';
}

function changeText({ targetChangeType = 0, targetIds = [], cause, readTime }: TargetChange): string {
  const code = cause ? [`code ${cause.code}`] : [];
  const isTimed = readTime && microsOf(readTime) > 0 ? ['at a time'] : [];
  return [CHANGE_NAMES[targetChangeType], ...targetIds, ...code, ...isTimed].join(' ');
}

function ids({ removedTargetIds }: { readonly removedTargetIds: readonly number[] }): string {
  return removedTargetIds.map((id) => `-${id}`).join(' ');
}

function idOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function databaseOf(project: string): string {
  return `projects/${project}/databases/(default)`;
}
