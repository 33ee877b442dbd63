/**
 * Alarms concern a sector (`stopped`, `dropped`), the whole event (`ground-dropped`, `several-stopped`, `no-data`), or either
 * (those of the permitted capacity).
 */
export type AlarmRule = keyof FiguresByRule;

/** The figures of each rule's alarm at the time it was raised. Counts are people, rates people per minute. */
interface FiguresByRule {
  /** Nobody entered a sector for longer than chance explains. */
  stopped: StoppedFigures;
  /** Clearly fewer people enter a sector than before, and than the others. */
  dropped: DroppedFigures;
  /** Clearly fewer people enter the whole ground than before. */
  'ground-dropped': DroppedFigures;
  /** Three or more sectors stopped together, which points to the source rather than the gates. */
  'several-stopped': SeveralStoppedFigures;
  /** The tickets have not been observed for so long. */
  'no-data': { readonly staleMs: number };
  'near-capacity': CapacityFigures;
  'at-capacity': CapacityFigures;
  'above-capacity': CapacityFigures;
}

export interface StoppedFigures {
  /** When the last person entered. */
  readonly silentSinceMs: number;
  /** The length of silence that raises the alarm: W. */
  readonly windowMs: number;
  /** The entries per minute before the silence: b. */
  readonly before: number;
  readonly admitted: number;
  readonly valid: number;
}

export interface DroppedFigures {
  /** The entries of the last `windowMs`: x. */
  readonly entered: number;
  /** The expected entries of that window: e. */
  readonly expected: number;
  readonly windowMs: number;
  /** The entries per minute in the ten minutes before the window. */
  readonly before: number;
  /** The sector's entries in those ten minutes divided by those of other sectors; null for the whole ground. */
  readonly share: number | null;
  /** `before` of each sector that the ground's rule compares: those without a mark; older logs omit it. */
  readonly bySector?: Readonly<Record<string, number>> | undefined;
}

interface SeveralStoppedFigures {
  readonly sectors: readonly StoppedSector[];
}

export interface StoppedSector extends Pick<StoppedFigures, 'silentSinceMs' | 'before'> {
  /** A row's code, or '' for the others. */
  readonly sector: string;
}

export interface CapacityFigures {
  readonly admitted: number;
  /** The permitted capacity. */
  readonly capacity: number;
  /** Set if people passed unread: more than `admitted` are in. */
  readonly isAtLeast?: true;
  /** How many these are by an estimate; absent: nobody has made one. */
  readonly estimated?: number;
}

/** A rule and its figures, as in the log. */
export type AlarmNotice = {
  readonly [R in AlarmRule]: { readonly rule: R; readonly figures: FiguresByRule[R] };
}[AlarmRule];

/** The subject of an alarm: at most one is open for each rule and sector. */
export interface AlarmSubject {
  readonly rule: AlarmRule;
  /** A row's code, '' for the others, null for the whole event. */
  readonly sector: string | null;
}

/**
 * Why an alarm returned: the condition is over; the rule no longer applies (a mark, entry closed, evacuation, the end of
 * entry); or another alarm replaces it.
 */
export type ReturnReason = 'resolved' | 'withdrawn' | 'replaced';

/**
 * Why an alarm calls again: its condition still holds AGAIN_AFTER_MS after the acknowledgement, or came back with new
 * figures before anybody acknowledged it.
 */
export type Again =
  | { readonly why: 'unresolved' }
  | { readonly why: 'recurred'; readonly figures: AlarmNotice['figures'] };

/** `isSilent`: the rule was suspended when the condition came, or came back; the alarm called nobody. */
export interface MaybeSilent {
  readonly isSilent?: true | undefined;
}

/** An open alarm: active, or unacknowledged. */
export type Alarm = AlarmSubject &
  AlarmNotice &
  MaybeSilent & {
    /** The id of its entry in the log. */
    readonly id: string;
    readonly sinceMs: number;
    /** When its figures were taken: they are new where its condition comes back; older versions omit it. */
    readonly figuresAtMs?: number | undefined;
    /** Null while the alarm is active. */
    readonly returnedAtMs: number | null;
    /** Why it returned; older versions omit it. */
    readonly returnedWhy?: ReturnReason | undefined;
    readonly acknowledged: Acknowledgement | null;
    /** When it last called again, or its condition came back. */
    readonly againAtMs: number | null;
    /** On a desk, what the rule of an active drop compares now; absent where unknown, and in older versions. */
    readonly now?: DroppedFigures | undefined;
  };

interface Acknowledgement {
  readonly atMs: number;
  readonly by: string | null;
  readonly note: string | null;
}

export const SUSPENSION_MINUTES = [5, 15, 30] as const;
export type SuspensionMinutes = (typeof SUSPENSION_MINUTES)[number];

/** Until then the rule calls nobody in that sector; its state is displayed, and the log states what happens. */
export interface Suspension extends AlarmSubject {
  /** The id of its entry in the log, for taking it back. */
  readonly id: string;
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly reason: string;
  readonly by: string | null;
}
