import type { DeskView, SendCommand } from '../desk-view.ts';

export interface DialogProps {
  readonly view: DeskView;
  readonly send: SendCommand;
  readonly onClose: () => void;
  /** Called once the entry is in the log, with a confirmation for the operator. */
  readonly onRecorded: (words: string) => void;
}
