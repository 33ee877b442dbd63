import type { UsualCurve } from '../model/forecast/usual-curve.ts';
import type { RecordProof } from '../model/log/record-proof.ts';
import type { DeskView } from '../page/desk-view.ts';

/** The data of the printed record. */
export interface RecordView {
  /** The desk at the last known minute, with all minutes and the whole log up to then. */
  readonly desk: DeskView;
  readonly proof: RecordProof;
  /** The mean of earlier matches for the whole ground; null if there are too few. */
  readonly usual: UsualCurve | null;
  readonly title: string;
  /** The declared name of the operator who made the record. */
  readonly producedBy: string;
}
