import { useCallback } from 'react';
import type { CommandOutcome, NewCommand } from '../desk-view.ts';
import { readKept, useKept } from './kept-state.ts';
import { IDLE, type Sending } from './sending.ts';

const PENDING: Sending = { kind: 'pending' };

export interface SendingForm<What = NewCommand> {
  readonly sending: Sending;
  /** Nothing of it may be changed: it is under way, or it may be recorded already. */
  readonly isLocked: boolean;
  readonly submit: (what: What) => void;
  readonly retry: () => void;
  /** Whatever became of it. */
  readonly giveUp: () => void;
}

/** `key` names the command's form; `whenRecorded` is called after the record's answer, never before. */
export function useSending<What = NewCommand>(
  key: string,
  send: (what: What) => Promise<CommandOutcome>,
  whenRecorded: () => void,
): SendingForm<What> {
  const [sending, setSending] = useKept<Sending>(`sending ${key}`, IDLE);
  const giveUp = useCallback(() => setSending(IDLE), [setSending]);
  const follow = (outcome: Promise<CommandOutcome>): void => {
    setSending(PENDING);
    void outcome.then((told) => {
      setSending(told.kind === 'recorded' ? IDLE : told);
      if (told.kind === 'recorded') whenRecorded();
      if (told.kind !== 'unsent') return;
      void told.found.then(() => {
        if (readKept(`sending ${key}`) === told) follow(told.retry());
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
