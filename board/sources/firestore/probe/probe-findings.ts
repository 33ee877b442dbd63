import type { TargetName } from '../stream-view.ts';

/** How a stream went on from the resume token of the one before. */
export interface Resumption {
  readonly tookMs: number;
  readonly wasReset: boolean;
  /** Firestore's own number of the tickets, beside what the stream had brought. */
  readonly filter: 'none' | 'equal' | 'different';
  /** Whether tickets were sent that had not changed since. */
  readonly sentAgain: 'all' | 'part' | 'none';
  /** Whether tickets were removed. */
  readonly hadRemovals: boolean;
}

/** What a project answers: no member holds a name, an ID, or how many tickets there are. */
export interface ProbeFindings {
  readonly isEmulator: boolean;
  readonly isAccount: boolean;
  readonly seconds: number;
  /** The time until all tickets had arrived; `undefined`: none may be read. */
  readonly firstReadingMs: number | undefined;
  readonly probes: { readonly answersMs: readonly number[]; readonly unanswered: number };
  /** The silences of a stream without probes. */
  readonly idle: { readonly gapsMs: readonly number[]; readonly end: string | undefined };
  readonly resumption: Resumption | 'refused' | 'not tried';
  /** Counts at read times, beside what the stream had brought until then. */
  readonly counts: {
    readonly tookMs: readonly number[];
    readonly different: number;
    /** The code that such counts are refused with. */
    readonly refusal: string | undefined;
    /** Whether one without a read time is answered where those with one are refused. */
    readonly isAnsweredWithoutTime: boolean;
  };
  /** Whether the rules let each be read; `none`: there is no document of the event, as the tickets are in a collection of the root. */
  readonly targets: Readonly<Record<TargetName, 'allowed' | 'refused' | 'none'>>;
  /** Streams that ended by themselves, by their codes. */
  readonly ends: readonly string[];
  /** Reads that were not of tickets. */
  readonly reads: { readonly others: number; readonly probes: number };
}
