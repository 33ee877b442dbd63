import { status } from '@grpc/grpc-js';
import type { Micros } from './messages.ts';
import { StatusError } from './status-error.ts';

/** What a test makes the stand-in do wrong. Everything lasts until `restore`, unless noted otherwise. */
export interface StandInFaults {
  /** Open streams bring nothing more, heartbeats included, and stay open: for ever, or all streams until `restore`. */
  silence(which?: 'open-for-ever' | 'all'): void;
  /** Commits are not passed on; at `restore` they come as one snapshot. */
  holdSnapshots(): void;
  /** New targets are not answered, probes among them, while the others go on. */
  holdTargets(): void;
  /** Calls of this method are not answered. */
  holdCalls(method: CallName): void;
  /** Calls are refused with this code; default: calls of all methods, streams included. */
  failCalls(code: status, method?: CallName | 'Listen'): void;
  /** New targets are removed with this code; targets that are open stay. */
  refuseTargets(code: status): void;
  /** Once: the targets of open streams are removed with this code. */
  removeTargets(code: status): void;
  /** Once: open streams end with this code. */
  endStreams(code: status): void;
  /** Once: the targets of open streams are reset, and everything is sent again. */
  resetTargets(): void;
  /** Once: resume tokens that were sent until now are too old. */
  expireResumeTokens(): void;
  /** Filters of resumed targets count `by` documents too many. With `now`: open targets get such a filter at once. */
  mismatchFilters(by: number, now?: boolean): void;
  /** Once on each stream: the next document is sent as half a message. */
  sendHalfMessage(): void;
  /** Documents come after the snapshot that they belong to, or snapshots have an earlier read time than the last. */
  disorder(order: Disorder): void;
  restore(): void;
}

export type CallName =
  | 'BatchGetDocuments'
  | 'BatchWrite'
  | 'BeginTransaction'
  | 'Commit'
  | 'Rollback'
  | 'RunAggregationQuery'
  | 'RunQuery';

export type Disorder = 'snapshot-before-documents' | 'earlier-read-time';

/** The part of the faults that calls and streams look at when they do something. */
export class FaultState {
  isSilent = false;
  holdsSnapshots = false;
  holdsTargets = false;
  targetRefusal: StatusError | undefined;
  resumableSince: Micros = 0;
  filterError = 0;
  order: Disorder | undefined;
  readonly #failing = new Map<string, StatusError>();
  readonly #held = new Map<string, (() => void)[]>();

  /** Throws where calls of this method are refused. */
  checkCall(method: string): void {
    const error = this.#failing.get(method) ?? this.#failing.get('');
    if (error) throw error;
  }

  failCalls(code: status, method: string): void {
    this.#failing.set(method, faultOf(code));
  }

  holdCalls(method: string): void {
    this.#held.set(method, []);
  }

  /** Runs it now, or at `restore`. */
  whenAnswered(method: string, run: () => void): void {
    const held = this.#held.get(method);
    if (held) held.push(run);
    else run();
  }

  restore(): void {
    this.isSilent = this.holdsSnapshots = this.holdsTargets = false;
    this.targetRefusal = this.order = undefined;
    this.filterError = 0;
    this.#failing.clear();
    const held = [...this.#held.values()].flat();
    this.#held.clear();
    for (const run of held) run();
  }
}

export function faultOf(code: status): StatusError {
  return new StatusError(code, `A test has the stand-in answer ${status[code]}.`);
}
