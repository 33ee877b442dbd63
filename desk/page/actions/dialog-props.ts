import type { DeskView, SendCommand } from '../desk-view.ts';

export interface DialogProps {
  readonly view: DeskView;
  readonly send: SendCommand;
  readonly onClose: () => void;
  /** It is in the log. */
  readonly onRecorded: (words: string) => void;
}
