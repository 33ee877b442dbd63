/**
 * What an alarm is about: a sector (`stopped`, `dropped`), the whole event (`ground-dropped`, `several-stopped`, `no-data`),
 * or either (the three of the permitted capacity).
 */
export type AlarmRule = keyof FiguresByRule;

export const ALARM_RULES: readonly AlarmRule[] = [
  'stopped',
  'dropped',
  'ground-dropped',
  'several-stopped',
  'no-data',
  'near-capacity',
  'at-capacity',
  'above-capacity',
];

/** What explains each rule's alarm, as of the moment at which it was raised. Counts are people, rates people a minute. */
interface FiguresByRule {
  /** Nobody entered in a sector for as long as that takes to be no accident. */
  stopped: StoppedFigures;
  /** Clearly fewer enter in a sector than before, and than in the others. */
  dropped: DroppedFigures;
  /** Clearly fewer enter in the whole ground than before. */
  'ground-dropped': DroppedFigures;
  /** Three or more sectors stopped together: the source, rather than the gates. */
  'several-stopped': SeveralStoppedFigures;
  /** Nothing is known of the tickets. */
  'no-data': { readonly staleMs: number };
  'near-capacity': CapacityFigures;
  'at-capacity': CapacityFigures;
  'above-capacity': CapacityFigures;
}

export interface StoppedFigures {
  /** Nobody entered from then on. */
  readonly silentSinceMs: number;
  /** For how long nobody had to enter: W. */
  readonly windowMs: number;
  /** How many a minute entered before that: b. */
  readonly before: number;
  readonly admitted: number;
  readonly valid: number;
}

export interface DroppedFigures {
  /** How many entered in the last `windowMs`: x. */
  readonly entered: number;
  /** How many were to be expected there: e. */
  readonly expected: number;
  readonly windowMs: number;
  /** How many a minute entered in the ten minutes before the window. */
  readonly before: number;
  /** The sector's part of what entered elsewhere in those ten minutes, as a factor; null of the whole ground. */
  readonly share: number | null;
}

interface SeveralStoppedFigures {
  readonly sectors: readonly StoppedSector[];
}

export interface StoppedSector extends Pick<StoppedFigures, 'silentSinceMs' | 'before'> {
  /** A row's code, '' for the others. */
  readonly sector: string;
}

export interface CapacityFigures {
  readonly admitted: number;
  /** Permitted. */
  readonly capacity: number;
  /** People passed unread: more than `admitted` are in. */
  readonly isAtLeast?: true;
}

/** A rule and its figures, as the log has them. */
export type AlarmNotice = {
  readonly [R in AlarmRule]: { readonly rule: R; readonly figures: FiguresByRule[R] };
}[AlarmRule];

/** What one alarm is about: there is at most one in force for each rule and sector. */
export interface AlarmSubject {
  readonly rule: AlarmRule;
  /** A row's code, '' for the others; null for the whole event. */
  readonly sector: string | null;
}

/**
 * Why an alarm returned: the condition is over; the rule does not apply any more (a mark, entry closed, evacuation, the end
 * of entry); another alarm says it now, and more.
 */
export type ReturnReason = 'resolved' | 'withdrawn' | 'replaced';

/**
 * Why an alarm asks for somebody again: so long after it was acknowledged, nothing has changed; or its condition came back,
 * with figures of its own, before anybody had acknowledged that it was there.
 */
export type Again =
  | { readonly why: 'unresolved' }
  | { readonly why: 'recurred'; readonly figures: AlarmNotice['figures'] };

/** `isSilent`: its rule was suspended when its condition came, or came back: it called nobody. */
export interface MaybeSilent {
  readonly isSilent?: true | undefined;
}

/** An alarm in force: active, or not acknowledged. */
export type Alarm = AlarmSubject &
  AlarmNotice &
  MaybeSilent & {
    /** Of its entry in the log. */
    readonly id: string;
    /** When it was raised. */
    readonly sinceMs: number;
    /** Null: active. */
    readonly returnedAtMs: number | null;
    readonly acknowledged: Acknowledgement | null;
    /** When it last asked for somebody again, or its condition came back. */
    readonly againAtMs: number | null;
  };

interface Acknowledgement {
  readonly atMs: number;
  readonly by: string | null;
  readonly note: string | null;
}

/** For how many minutes an alarm can be suspended. */
export const SUSPENSION_MINUTES = [5, 15, 30] as const;
export type SuspensionMinutes = (typeof SUSPENSION_MINUTES)[number];

/** Until then the rule calls nobody in that sector; its state is displayed, and the log states what happens. */
export interface Suspension extends AlarmSubject {
  /** Of its entry in the log: it can be taken back. */
  readonly id: string;
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly reason: string;
  readonly by: string | null;
}
