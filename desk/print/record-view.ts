import type { UsualCurve } from '../model/forecast/usual-curve.ts';
import type { RecordProof } from '../model/log/record-proof.ts';
import type { DeskView } from '../page/desk-view.ts';

/** All that the printed record draws. */
export interface RecordView {
  /** The last minute that is known, with all minutes and the whole log up to there. */
  readonly desk: DeskView;
  readonly proof: RecordProof;
  /** The mean of earlier matches, of the whole ground; null where nobody can tell. */
  readonly usual: UsualCurve | null;
  readonly title: string;
  /** The operator who made it, by the declared name. */
  readonly producedBy: string;
}
