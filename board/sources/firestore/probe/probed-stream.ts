import { performance } from 'node:perf_hooks';
import type { Channel, ListenCall } from '../channel.ts';
import { FirestoreError, firestoreError, protocolError, silenceError } from '../firestore-error.ts';
import { type FirestorePlace, idOf, prefixOf } from '../firestore-place.ts';
import type { FirestoreSettings } from '../firestore-settings.ts';
import { GRPC_CODE, type GrpcStatus } from '../grpc-status.ts';
import { decodeListenResponse, type ListenResponse } from '../messages.ts';
import { encodeAddTarget, encodeRemoveTarget, type Query } from '../requests.ts';
import { StreamView, type TargetName } from '../stream-view.ts';
import type { TicketMemory } from '../ticket-memory.ts';
import type { Resumption } from './probe-findings.ts';

/** A query that no ticket matches. */
export function emptyQuery({ tickets }: FirestorePlace): Query {
  return { ...tickets, where: [{ field: 'setor', equals: 'triagem-sonda' }] };
}

export interface ProbedStreamOptions {
  readonly settings: FirestoreSettings;
  readonly place: FirestorePlace;
  readonly channel: Channel;
  readonly token: string;
  /** The memory to which the stream adds what it receives. If it has a resume token, the stream resumes there. */
  readonly memory: TicketMemory;
  /** A stream that brings nothing for this long, before it has brought everything, is given up. */
  readonly silenceMs: number;
  /** Rules do not let one of the targets be read. */
  readonly onRefused: (of: TargetName) => void;
  readonly onDocumentRead: (of: TargetName) => void;
}

/** One stream with the targets of a board, and the probes that it is sent. */
export class ProbedStream {
  readonly #options: ProbedStreamOptions;
  readonly #call: ListenCall;
  readonly #view: StreamView;
  readonly #tickets: Buffer;
  readonly #openedAtMs = performance.now();
  readonly #resumedAtUs: number;
  readonly #ticketsBefore: number;
  readonly #watching: NodeJS.Timeout;
  readonly #probes = new Map<number, { readonly askedAtMs: number; isCurrent: boolean }>();
  readonly #opening: Promise<Resumption>;
  #open: (resumption: Resumption) => void = () => {};
  #fail: (error: FirestoreError) => void = () => {};
  #lastSignAtMs = this.#openedAtMs;
  #isOpen = false;
  #end: GrpcStatus | undefined;
  #wasReset = false;
  #filter: Resumption['filter'] = 'none';
  #ticketsAgain = 0;
  #hadRemovals = false;
  /** How long each answer took. */
  readonly answersMs: number[] = [];

  constructor(options: ProbedStreamOptions) {
    this.#options = options;
    const { channel, token, memory, place, settings, silenceMs } = options;
    this.#tickets = prefixOf(place.tickets);
    this.#resumedAtUs = memory.readTimeUs;
    this.#ticketsBefore = memory.size;
    this.#opening = new Promise((resolve, reject) => {
      this.#open = resolve;
      this.#fail = reject;
    });
    this.#opening.catch(() => {});
    this.#call = channel.listen(token, {
      onMessage: (bytes) => this.#take(bytes),
      onEnd: (end) => this.#endWith(end),
    });
    this.#view = new StreamView({
      ...options,
      wantsMetadata: true,
      add: (target) => this.#call.send(encodeAddTarget(place.database, target)),
      remove: (id) => this.#call.send(encodeRemoveTarget(place.database, id)),
      onRefused: (of, cause) => {
        if (cause.code !== GRPC_CODE.PERMISSION_DENIED) {
          this.#endWith(cause);
          return;
        }
        options.onRefused(of);
        // Nothing more may come.
        if (of === 'tickets') this.#beOpen();
      },
      onFilterMismatch: () => (this.#filter = 'different'),
    });
    this.#watching = setInterval(() => {
      if (!this.#isOpen && performance.now() - this.#lastSignAtMs > silenceMs)
        this.#fail(silenceError(settings));
    }, 100);
  }

  /** Resolves once it has brought everything, or will bring no ticket. */
  get opened(): Promise<Resumption> {
    return this.#opening;
  }

  /** The status with which Firestore has ended the stream; `undefined` while it is open. */
  get end(): GrpcStatus | undefined {
    return this.#end;
  }

  /** Probes without an answer. */
  get unanswered(): number {
    return this.#probes.size;
  }

  ask(): void {
    const { place } = this.#options;
    const id = this.#view.newTargetId();
    this.#probes.set(id, { askedAtMs: performance.now(), isCurrent: false });
    const of = { query: emptyQuery(place) };
    this.#call.send(encodeAddTarget(place.database, { id, of, resumeToken: undefined }));
  }

  close(): void {
    clearInterval(this.#watching);
    this.#end ??= { code: GRPC_CODE.OK, message: '' };
    this.#call.end();
  }

  #endWith(end: GrpcStatus): void {
    this.#end ??= end;
    this.#fail(firestoreError(end, this.#options.settings, 'the collection of tickets'));
  }

  #take(bytes: Buffer): void {
    this.#lastSignAtMs = performance.now();
    if (this.#end) return;
    try {
      const response = decodeListenResponse(bytes);
      if (!response) return;
      this.#note(response);
      const readTimeUs = this.#view.take(response);
      if (readTimeUs === undefined) return;
      const resumeToken = response.kind === 'target' ? response.resumeToken : undefined;
      this.#options.memory.apply(this.#view.read(readTimeUs, resumeToken));
      this.#answer();
    } catch (error) {
      this.#end ??= { code: GRPC_CODE.INTERNAL, message: '' };
      this.#fail(error instanceof FirestoreError ? error : protocolError('a response is malformed', error));
    }
  }

  #note(response: ListenResponse): void {
    if (response.kind === 'filter' && this.#filter === 'none') this.#filter = 'equal';
    if (response.kind === 'removal') this.#hadRemovals = true;
    if (response.kind === 'document') {
      const { name, updateTimeUs } = response.document;
      const isTicket = idOf(name, this.#tickets) !== undefined;
      if (isTicket && updateTimeUs <= this.#resumedAtUs) this.#ticketsAgain += 1;
    }
    if (response.kind !== 'target') return;
    if (response.change === 'reset') this.#wasReset = true;
    if (response.change !== 'current') return;
    for (const id of response.targetIds) {
      const probe = this.#probes.get(id);
      if (!probe) continue;
      probe.isCurrent = true;
      this.#call.send(encodeRemoveTarget(this.#options.place.database, id));
    }
  }

  /** The stream is consistent: it has everything that was committed before the probes that are current were asked. */
  #answer(): void {
    const nowMs = performance.now();
    for (const [id, { askedAtMs, isCurrent }] of this.#probes) {
      if (!isCurrent) continue;
      this.#probes.delete(id);
      this.answersMs.push(nowMs - askedAtMs);
    }
    this.#beOpen();
  }

  #beOpen(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const again = this.#ticketsAgain;
    this.#open({
      tookMs: performance.now() - this.#openedAtMs,
      wasReset: this.#wasReset,
      filter: this.#filter,
      sentAgain: again === 0 ? 'none' : again < this.#ticketsBefore ? 'part' : 'all',
      hadRemovals: this.#hadRemovals,
    });
  }
}
