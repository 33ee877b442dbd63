import type { RecordProof } from '../../domain/flow/record-proof.ts';
import type { DeskView } from '../desk/desk-view.ts';

/** All that the printed record draws. */
export interface RecordView {
  /** The last minute that is known, with all minutes and the whole log up to there. */
  readonly desk: DeskView;
  readonly proof: RecordProof;
  readonly title: string;
  /** The operator who made it, by the declared name. */
  readonly producedBy: string;
  /** Of the program. */
  readonly buildId: string;
}
