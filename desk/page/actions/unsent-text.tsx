import type { ReactNode } from 'react';
import { CommandButton } from './command-button.tsx';
import type { Unsent } from './use-unsent.ts';

const RECORD = 'registrar como ocorrência';

/** Beside what was typed: `why` it can no longer be sent as what it was meant for, and the two ways out. */
export function UnsentText(props: {
  readonly unsent: Unsent;
  /** Another alarm has replaced this one: the form takes what was typed to it, unless this is pressed. */
  readonly onRecord?: (() => void) | undefined;
  readonly children?: ReactNode;
}) {
  const { unsent, onRecord, children } = props;
  const { why, isEmpty, form, discard } = unsent;
  return (
    <div className="unsent">
      <p role="alert">
        <b>{why}.</b>
        {!isEmpty && ' O que você escreveu não foi registrado.'}
      </p>
      <p className="desk-buttons">
        <CommandButton type="submit" className="primary" isLocked={form.isLocked || isEmpty}>
          {onRecord ? 'levar a nota a esse alarme' : RECORD}
        </CommandButton>
        {onRecord && (
          <CommandButton isLocked={form.isLocked || isEmpty} onClick={onRecord}>
            {RECORD}
          </CommandButton>
        )}
        {children}
        <button type="button" disabled={form.isLocked} onClick={discard}>
          descartar
        </button>
      </p>
    </div>
  );
}
