import type { StoppedFigures } from './alarm.ts';

/** Whether a sector has stopped. `isWithdrawn`: an alarm names it, and the rule no longer applies to it. */
export type SectorReading =
  | Stop
  | (SectorHead & { readonly isStopped: false | undefined; readonly isWithdrawn?: boolean });

export interface Stop extends SectorHead {
  readonly isStopped: true;
  readonly figures: StoppedFigures;
}

/** A sector and the alarms that name it. */
export interface SectorHead {
  readonly place: number;
  readonly sector: string;
  /** The alarm that names its stop: one of its own, or that of several. */
  readonly raisedBy: 'own' | 'group' | null;
  /** Whether it was one of several and has just resumed. */
  readonly isLeaving: boolean;
}
