import { status } from '@grpc/grpc-js';
import {
  type DocumentChange,
  type DocumentChanges,
  type DocumentStore,
  messageOf,
} from './document-store.ts';
import type { FaultState } from './faults.ts';
import {
  type AddedTarget,
  type ListenRequest,
  type ListenResponse,
  type Micros,
  microsOf,
  TARGET_CHANGE,
  type TargetChange,
  timestampOf,
} from './messages.ts';
import { encode } from './protocol.ts';
import { notPlayed, StatusError, statusOf } from './status-error.ts';
import { type Target, targetOf, timeOf, tokenOf } from './target.ts';

/** The connection of one stream. */
export interface ListenCall {
  /** Bytes are no message, and sent as they are. */
  send(response: ListenResponse | Buffer): void;
  end(error?: StatusError): void;
  /** Throws where the caller may not read this resource. */
  checkRight(resource: string): void;
  /** False once the token of the caller has expired: nothing is sent any more then, and the stream stays open. */
  isCurrent(): boolean;
  /** Bills this number of document reads. */
  countReads(documents: number): void;
}

/**
 * One stream of `Listen`: targets that are added and removed, and for each commit that concerns them its changes, followed by
 * one snapshot of the whole stream.
 *
 *   ADD, [RESET], documents, [filter], CURRENT, NO_CHANGE      a target is added, or resumed
 *   changes, NO_CHANGE                                         after a commit
 *   NO_CHANGE                                                  nothing has happened for long
 *   REMOVE                                                     a target is removed
 */
export class ListenStream {
  readonly #store: DocumentStore;
  readonly #faults: FaultState;
  readonly #call: ListenCall;
  readonly #targets = new Map<number, Target>();
  readonly #waiting: ListenRequest[] = [];
  /** Everything before it has been sent. */
  #sentTo: Micros;
  #isSilentForEver = false;
  #sendsHalf = false;

  constructor(store: DocumentStore, faults: FaultState, call: ListenCall) {
    this.#store = store;
    this.#faults = faults;
    this.#call = call;
    this.#sentTo = store.now();
  }

  get #isSilent(): boolean {
    return this.#isSilentForEver || this.#faults.isSilent || !this.#call.isCurrent();
  }

  receive(request: ListenRequest): void {
    if (this.#isSilent || (this.#faults.holdsTargets && request.addTarget)) {
      this.#waiting.push(request);
      return;
    }
    try {
      if (request.addTarget) this.#add(request.addTarget);
      else if (request.removeTarget !== undefined) this.#remove(request.removeTarget);
    } catch (error) {
      this.#call.end(statusOf(error));
    }
  }

  /** Sends what has changed since the last time, as one snapshot. */
  flush(): void {
    if (this.#isSilent || this.#faults.holdsSnapshots) return;
    const changes = this.#store.changesSince(this.#sentTo);
    if (!changes) throw new Error('unreachable: a stream has fallen behind all that the stand-in keeps');
    const at = this.#store.now();
    this.#sentTo = at;
    let messages = this.#messagesFor(changes, this.#targets, at);
    if (messages.length === 0) return;
    if (this.#removeForbidden(at)) messages = this.#messagesFor(changes, this.#targets, at);
    this.#sendSnapshot(messages, at);
  }

  /** Whether there were targets that the caller may no longer read. */
  #removeForbidden(at: Micros): boolean {
    const before = this.#targets.size;
    for (const [id, { resource }] of this.#targets) {
      try {
        this.#call.checkRight(resource);
      } catch (error) {
        this.#change({ targetChangeType: TARGET_CHANGE.RESET, targetIds: [id] }, at);
        this.#refuse(id, statusOf(error));
      }
    }
    return this.#targets.size < before;
  }

  heartbeat(): void {
    if (this.#isSilent || this.#faults.holdsSnapshots || this.#targets.size === 0) return;
    this.flush();
    this.#sendSnapshot([], this.#sentTo);
  }

  /** Does what has waited for the end of a fault. */
  resume(): void {
    this.flush();
    for (const request of this.#waiting.splice(0)) this.receive(request);
  }

  /** Sends something as it is. */
  send(message: ListenResponse | Buffer): void {
    this.#call.send(message);
  }

  silenceForEver(): void {
    this.#isSilentForEver = true;
  }

  sendHalfMessage(): void {
    this.#sendsHalf = true;
  }

  end(error: StatusError): void {
    this.#call.end(error);
  }

  removeTargets(error: StatusError): void {
    for (const id of this.#targets.keys()) this.#refuse(id, error);
  }

  resetTargets(): void {
    for (const [id, target] of this.#targets) {
      const at = this.#store.now();
      this.#change({ targetChangeType: TARGET_CHANGE.RESET, targetIds: [id] }, at);
      for (const message of this.#all(id, target, at)) this.#send(message);
      this.#change({ targetChangeType: TARGET_CHANGE.CURRENT, targetIds: [id] }, at);
    }
    this.#sentTo = this.#store.now();
    this.#sendSnapshot([], this.#sentTo);
  }

  sendFilters(): void {
    for (const [id, target] of this.#targets) this.#send(this.#filterOf(id, target));
  }

  #add({ targetId: id = 0, query, documents, resumeToken, readTime, once = false }: AddedTarget): void {
    if (id <= 0) throw notPlayed('a target without an ID');
    if (this.#targets.has(id))
      throw new StatusError(status.INVALID_ARGUMENT, `Target ${id} is there already.`);
    this.flush();
    this.#send({ targetChange: { targetChangeType: TARGET_CHANGE.ADD, targetIds: [id] } });
    let target: Target;
    try {
      if (this.#faults.targetRefusal) throw this.#faults.targetRefusal;
      target = targetOf(query, documents);
      this.#call.checkRight(target.resource);
    } catch (error) {
      this.#refuse(id, statusOf(error));
      return;
    }
    const since = readTime ? microsOf(readTime) : timeOf(resumeToken);
    const changes = since < this.#faults.resumableSince ? undefined : this.#store.changesSince(since);
    const isResumed = since > 0 && changes !== undefined;
    const at = this.#store.now();
    if (since > 0 && !isResumed) this.#change({ targetChangeType: TARGET_CHANGE.RESET, targetIds: [id] }, at);
    const messages = isResumed
      ? [...this.#messagesFor(changes, new Map([[id, target]]), at), this.#filterOf(id, target)]
      : this.#all(id, target, at);
    this.#targets.set(id, target);
    if (messages.length === 0) this.#call.countReads(1);
    this.#sendSnapshot(messages, at, id);
    if (once) this.#remove(id);
  }

  #remove(id: number): void {
    if (this.#targets.delete(id))
      this.#send({ targetChange: { targetChangeType: TARGET_CHANGE.REMOVE, targetIds: [id] } });
  }

  #refuse(id: number, { code, message }: StatusError): void {
    this.#targets.delete(id);
    const cause = { code, message };
    this.#send({ targetChange: { targetChangeType: TARGET_CHANGE.REMOVE, targetIds: [id], cause } });
  }

  /** All documents of a target. */
  #all(id: number, target: Target, at: Micros): ListenResponse[] {
    const documents = this.#store.select(target);
    const missing = target.names.filter((name) => !documents.has(name));
    return [
      ...[...documents.values()].map((document) => ({
        documentChange: { document: messageOf(document), targetIds: [id], removedTargetIds: [] },
      })),
      ...missing.map((document) => ({
        documentDelete: { document, removedTargetIds: [id], readTime: timestampOf(at) },
      })),
    ];
  }

  #messagesFor(changes: DocumentChanges, targets: ReadonlyMap<number, Target>, at: Micros): ListenResponse[] {
    return [...changes].flatMap(([name, change]) => messageFor(name, change, targets, at) ?? []);
  }

  #filterOf(targetId: number, target: Target): ListenResponse {
    return { filter: { targetId, count: this.#store.select(target).size + this.#faults.filterError } };
  }

  /** Sends messages and the snapshot that they belong to; `added`: the target that is complete with it. */
  #sendSnapshot(messages: readonly ListenResponse[], at: Micros, added?: number): void {
    const { order } = this.#faults;
    const isDisordered = order === 'snapshot-before-documents';
    const readTime = order === 'earlier-read-time' ? at - 60e6 : at;
    if (!isDisordered) for (const message of messages) this.#send(message);
    if (added !== undefined)
      this.#change({ targetChangeType: TARGET_CHANGE.CURRENT, targetIds: [added] }, readTime);
    this.#change({ targetChangeType: TARGET_CHANGE.NO_CHANGE }, readTime);
    if (isDisordered) for (const message of messages) this.#send(message);
  }

  #change(change: TargetChange, at: Micros): void {
    this.#send({ targetChange: { ...change, resumeToken: tokenOf(at), readTime: timestampOf(at) } });
  }

  #send(message: ListenResponse): void {
    const { documentChange, documentRemove } = message;
    const { targetIds = [], removedTargetIds = [] } = documentChange ?? {};
    const reads = documentChange ? targetIds.length + removedTargetIds.length : undefined;
    this.#call.countReads(reads ?? documentRemove?.removedTargetIds.length ?? 0);
    if (!this.#sendsHalf || !documentChange) {
      this.#call.send(message);
      return;
    }
    this.#sendsHalf = false;
    const bytes = encode('ListenResponse', message);
    this.#call.send(bytes.subarray(0, bytes.length / 2));
  }
}

/**
 * What is sent of a document that has changed; nothing where it concerns no target. A document that has left all targets but
 * exists is removed from view; one that is still in another is sent with the targets that it has left.
 */
function messageFor(
  document: string,
  { before, after }: DocumentChange,
  targets: ReadonlyMap<number, Target>,
  at: Micros,
): ListenResponse | undefined {
  const targetIds: number[] = [];
  const removedTargetIds: number[] = [];
  for (const [id, target] of targets) {
    if (after && target.selects(after)) targetIds.push(id);
    else if (before && target.selects(before)) removedTargetIds.push(id);
  }
  if (targetIds.length > 0 && after)
    return { documentChange: { document: messageOf(after), targetIds, removedTargetIds } };
  if (removedTargetIds.length === 0) return undefined;
  const removal = { document, removedTargetIds, readTime: timestampOf(at) };
  return after ? { documentRemove: removal } : { documentDelete: removal };
}
