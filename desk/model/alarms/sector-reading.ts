import type { StoppedFigures } from './alarm.ts';

/** What can be said of one sector. `isWithdrawn`: that it stopped was said, and the rule does not apply to it any more. */
export type SectorReading =
  | Stop
  | (SectorHead & { readonly isStopped: false | undefined; readonly isWithdrawn?: boolean });

/** A sector that has stopped. */
export interface Stop extends SectorHead {
  readonly isStopped: true;
  readonly figures: StoppedFigures;
}

/** Which sector it is, and what alarms say of it. */
export interface SectorHead {
  readonly place: number;
  readonly sector: string;
  /** Which alarm says already that it stopped: one of its own, or that of several. */
  readonly raisedBy: 'own' | 'group' | null;
  /** It was one of several that stopped, and has gone on only just now. */
  readonly isLeaving: boolean;
}
