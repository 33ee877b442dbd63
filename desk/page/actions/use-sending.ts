import { useCallback } from 'react';
import type { CommandOutcome, NewCommand } from '../desk-view.ts';
import { readKept, useKept } from './kept-state.ts';
import { IDLE, isUnderWay, type Sending } from './sending.ts';

export interface SendingForm<What = NewCommand> {
  readonly sending: Sending;
  /** The fields may not change: the command is under way, or may be recorded already. */
  readonly isLocked: boolean;
  /** The command that is being sent or would be sent again; set while `isLocked`. */
  readonly sent: What | undefined;
  readonly submit: (what: What) => void;
  readonly retry: () => void;
  /** Forgets the command, whatever its outcome. */
  readonly giveUp: () => void;
}

/** `key` names the command's form; `whenRecorded` is called once the record has confirmed the entry. */
export function useSending<What = NewCommand>(
  key: string,
  send: (what: What) => Promise<CommandOutcome>,
  whenRecorded: () => void,
): SendingForm<What> {
  const [sending, setSending] = useKept<Sending>(`sending ${key}`, IDLE);
  const giveUp = useCallback(() => setSending(IDLE), [setSending]);
  const follow = (outcome: Promise<CommandOutcome>, what: unknown): void => {
    setSending({ kind: 'pending', what });
    void outcome.then((told) => {
      if (told.kind === 'recorded') {
        setSending(IDLE);
        whenRecorded();
        return;
      }
      const failed = { ...told, what };
      setSending(failed);
      if (failed.kind !== 'unsent') return;
      void failed.found.then(() => {
        if (readKept(`sending ${key}`) === failed) follow(failed.retry(), what);
      });
    });
  };
  return {
    sending,
    isLocked: isUnderWay(sending),
    sent: isUnderWay(sending) ? (sending.what as What) : undefined,
    submit: (what) => {
      if (sending.kind === 'idle' || sending.kind === 'refused') follow(send(what), what);
    },
    retry: () => {
      if (sending.kind === 'unsent') follow(sending.retry(), sending.what);
    },
    giveUp,
  };
}
