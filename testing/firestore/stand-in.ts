import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServiceDefinition,
  status,
} from '@grpc/grpc-js';
import { closeOnce } from '../close-once.ts';
import type { IdentityStandIn, TokenHolder } from './identity-stand-in.ts';
import { DocumentStore } from './stand-in/document-store.ts';
import { applyWrites } from './stand-in/apply-writes.ts';
import { faultOf, FaultState, type StandInFaults } from './stand-in/faults.ts';
import { ListenStream } from './stand-in/listen-stream.ts';
import type { ListenRequest, ListenResponse, Write } from './stand-in/messages.ts';
import { methodOf } from './stand-in/protocol.ts';
import { serviceOf } from './stand-in/service.ts';
import { StatusError, statusOf } from './stand-in/status-error.ts';
import { Transactions } from './stand-in/transactions.ts';
import { fieldsOf, type Plain } from './stand-in/values.ts';

/**
 * A stand-in for Firestore: google.firestore.v1 over gRPC, with Google's own description of its messages. It sends what has
 * changed, as the real service does and the emulator does not, and does wrong what a test wants it to.
 */
export interface FirestoreStandIn {
  /** `host:port`, as FIRESTORE_EMULATOR_HOST names it. */
  readonly host: string;
  readonly faults: StandInFaults;
  /** How many documents all clients have paid for. */
  readonly reads: number;
  /** How many streams of `Listen` are open. */
  readonly streams: number;
  /** Commits documents at once, without a client: path below `documents` → data; `undefined` removes it. */
  commit(project: string, documents: ReadonlyMap<string, Readonly<Record<string, Plain>> | undefined>): void;
  /** Lets only this account read a project, beside its owner; `undefined`: nobody. At first everybody may. */
  allowReading(project: string, email: string | undefined): void;
  /** Sends something on all open streams, whatever it is. */
  send(message: ListenResponse | Buffer): void;
}

export interface StandInOptions {
  /** Default: a free one. */
  readonly port?: number;
  /**
   * Whose tokens are good. The emulator's owner and service accounts do everything, accounts and pages without one read what
   * they may. Without it everybody does everything.
   */
  readonly identity?: IdentityStandIn;
  /** A stream on which nothing has happened for this long is sent a snapshot. */
  readonly heartbeatMs?: number;
}

/** That of the real service, as far as its public logs show. */
const HEARTBEAT_MS = 30_000;
const METHODS = [
  'BatchGetDocuments',
  'BatchWrite',
  'BeginTransaction',
  'Commit',
  'Listen',
  'Rollback',
  'RunAggregationQuery',
  'RunQuery',
] as const;

/** Starts it; ended with the test. */
export async function startFirestoreStandIn({
  port = 0,
  identity,
  heartbeatMs = HEARTBEAT_MS,
}: StandInOptions = {}): Promise<FirestoreStandIn> {
  const store = new DocumentStore();
  const faults = new FaultState();
  const streams = new Set<ListenStream>();
  let reads = 0;
  const countReads = (documents: number): void => void (reads += documents);
  const flush = (): void => {
    for (const stream of streams) stream.flush();
  };

  /** The readers of each project that has rules of its own. */
  const readers = new Map<string, string | undefined>();

  function checkCaller(caller: Caller, right: 'read' | 'write', resource: string): void {
    if (caller.kind === 'anybody' || caller.kind === 'service-account') return;
    const [, project = ''] = resource.split('/');
    const email = caller.kind === 'account' ? caller.email : undefined;
    const mayRead = !readers.has(project) || (email !== undefined && email === readers.get(project));
    if (right === 'write' || !mayRead)
      throw new StatusError(status.PERMISSION_DENIED, 'Missing or insufficient permissions.');
  }

  function listen(call: ServerDuplexStream<ListenRequest, ListenResponse | Buffer>): void {
    try {
      faults.checkCall('Listen');
      const caller = callerOf(call.metadata, identity);
      const stream = new ListenStream(store, faults, {
        send: (response) => void call.write(response),
        end: (error) => void (error ? call.emit('error', error) : call.end()),
        checkRight: (resource) => checkCaller(caller, 'read', resource),
        isCurrent: () => caller.kind !== 'account' || caller.isValid(),
        countReads,
      });
      streams.add(stream);
      const close = (): void => void streams.delete(stream);
      call.on('data', (request) => stream.receive(request));
      call.on('end', () => call.end());
      for (const event of ['cancelled', 'error', 'close', 'finish'] as const) call.on(event, close);
    } catch (error) {
      call.emit('error', statusOf(error));
    }
  }

  const server = new Server({ 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 });
  const service: ServiceDefinition = Object.fromEntries(METHODS.map((name) => [name, methodOf(name)]));
  const transactions = new Transactions(store);
  const calls = serviceOf({
    store,
    transactions,
    faults,
    checkRight: (metadata, right, resource) => checkCaller(callerOf(metadata, identity), right, resource),
    countReads,
    onCommit: flush,
  });
  server.addService(service, { ...calls, Listen: listen });
  const boundTo = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error);
      else resolve(bound);
    });
  });
  const beating = setInterval(() => streams.forEach((stream) => stream.heartbeat()), heartbeatMs).unref();
  closeOnce(() => {
    clearInterval(beating);
    server.forceShutdown();
  });

  return {
    host: `127.0.0.1:${boundTo}`,
    faults: faultsOf(faults, store, streams),
    get reads() {
      return reads;
    },
    get streams() {
      return streams.size;
    },
    commit(project, documents) {
      const writes = [...documents].map(([path, data]): Write => {
        const name = `projects/${project}/databases/(default)/documents/${path}`;
        if (!data) return { delete: name, updateTransforms: [] };
        return { update: { name, fields: fieldsOf(data) }, updateTransforms: [] };
      });
      const at = store.now();
      store.commit(at, applyWrites(store, writes, at).changes);
      flush();
    },
    allowReading: (project, email) => void readers.set(project, email),
    send(message) {
      for (const stream of streams) stream.send(message);
    },
  };
}

function faultsOf(
  state: FaultState,
  store: DocumentStore,
  streams: ReadonlySet<ListenStream>,
): StandInFaults {
  return {
    silence(which = 'all') {
      if (which === 'all') state.isSilent = true;
      else for (const stream of streams) stream.silenceForEver();
    },
    holdSnapshots: () => void (state.holdsSnapshots = true),
    holdTargets: () => void (state.holdsTargets = true),
    holdCalls: (method) => state.holdCalls(method),
    failCalls: (code, method) => state.failCalls(code, method ?? ''),
    refuseTargets: (code) => void (state.targetRefusal = faultOf(code)),
    removeTargets(code) {
      for (const stream of streams) stream.removeTargets(faultOf(code));
    },
    endStreams(code) {
      for (const stream of streams) stream.end(faultOf(code));
    },
    resetTargets() {
      for (const stream of streams) stream.resetTargets();
    },
    expireResumeTokens: () => void (state.resumableSince = store.now()),
    mismatchFilters(by, now = false) {
      state.filterError = by;
      if (now) for (const stream of streams) stream.sendFilters();
    },
    sendHalfMessage() {
      for (const stream of streams) stream.sendHalfMessage();
    },
    disorder: (order) => void (state.order = order),
    restore() {
      state.restore();
      for (const stream of streams) stream.resume();
    },
  };
}

type Caller = { readonly kind: 'anybody' | 'nobody' } | TokenHolder;

/** Throws where a token is none, or is no longer one. */
function callerOf(metadata: Metadata, identity: IdentityStandIn | undefined): Caller {
  if (!identity) return { kind: 'anybody' };
  const [header] = metadata.get('authorization');
  if (header === undefined) return { kind: 'nobody' };
  const token = String(header).replace(/^Bearer /i, '');
  const holder = token === 'owner' ? ({ kind: 'anybody' } as const) : identity.holderOf(token);
  if (!holder)
    throw new StatusError(status.UNAUTHENTICATED, 'Request had invalid authentication credentials.');
  return holder;
}
