import { useCallback } from 'react';
import type { CommandOutcome, NewCommand } from '../desk-view.ts';
import { readKept, useKept } from './kept-state.ts';
import { IDLE, type Sending } from './sending.ts';

const PENDING: Sending = { kind: 'pending' };

export interface SendingForm<What = NewCommand> {
  readonly sending: Sending;
  /** The fields may not change: the command is under way, or may be recorded already. */
  readonly isLocked: boolean;
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
  const follow = (outcome: Promise<CommandOutcome>): void => {
    setSending(PENDING);
    void outcome.then((result) => {
      setSending(result.kind === 'recorded' ? IDLE : result);
      if (result.kind === 'recorded') whenRecorded();
      if (result.kind !== 'unsent') return;
      void result.found.then(() => {
        if (readKept(`sending ${key}`) === result) follow(result.retry());
      });
    });
  };
  return {
    sending,
    isLocked: sending.kind === 'pending' || sending.kind === 'unsent',
    submit: (what) => {
      if (sending.kind === 'idle' || sending.kind === 'refused') follow(send(what));
    },
    retry: () => {
      if (sending.kind === 'unsent') follow(sending.retry());
    },
    giveUp,
  };
}
