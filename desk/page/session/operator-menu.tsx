import { type ComponentType, useEffect, useRef, useState } from 'react';
import { useStore } from '../../../page/use-store.ts';
import { Dialog } from '../frame/dialog.tsx';
import { forgetKept, handOver, hasUnsent } from '../actions/kept-state.ts';
import type { DeskSession } from './desk-session.ts';
import type { InvitationCodeProps } from './invitation-code.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import type { SignInRefusal } from './sign-in-words.ts';

export function OperatorMenu({ session }: { readonly session: DeskSession }) {
  const state = useStore(session.state, (current) => current);
  const menu = useRef<HTMLDetailsElement>(null);
  const [opened, setOpened] = useState<'rename' | 'invite'>();
  const [refusal, setRefusal] = useState<SignInRefusal>();
  const [isConfirming, setConfirming] = useState(false);
  const [Code, setCode] = useState<ComponentType<InvitationCodeProps>>();
  const name = state.kind === 'signed-in' ? state.operator.name : undefined;
  const formerName = useRef(name);
  useEffect(() => {
    if (name === undefined) return;
    if (formerName.current !== undefined && formerName.current !== name) handOver(formerName.current);
    formerName.current = name;
  }, [name]);
  if (name === undefined) return null;

  const close = () => {
    menu.current?.removeAttribute('open');
    setConfirming(false);
  };
  const choose = (what: typeof opened) => {
    // The pressed button disappears with the menu, so the focus returns to the operator's name.
    menu.current?.querySelector('summary')?.focus();
    close();
    setOpened(what);
  };
  const closeDialog = () => setOpened(undefined);
  const leave = async () => {
    if (hasUnsent() && !isConfirming) return setConfirming(true);
    const refused = await session.signOut();
    if (refused) return setRefusal(refused);
    // A reload clears the screen.
    forgetKept();
    window.location.reload();
  };
  return (
    <>
      <details
        ref={menu}
        className="operator"
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          close();
          menu.current?.querySelector('summary')?.focus();
        }}
        onBlur={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget)) close();
        }}
      >
        <summary title="operador desta mesa">{name}</summary>
        <div className="operator-choices">
          <button type="button" onClick={() => choose('rename')}>
            trocar operador
          </button>
          <button
            type="button"
            onClick={() => {
              choose('invite');
              void import('./invitation-code.tsx').then(({ InvitationCode }) =>
                setCode(() => InvitationCode),
              );
            }}
          >
            entrar com o telefone
          </button>
          <a href="/fluxo/registro" target="_blank" rel="noopener" onClick={close}>
            imprimir o registro
          </a>
          {isConfirming && (
            <p className="form-error" role="alert">
              Há texto escrito que não foi registrado: quem sai o perde.
            </p>
          )}
          <button type="button" onClick={() => void leave()}>
            {isConfirming ? 'sair mesmo assim' : 'sair'}
          </button>
          {refusal && (
            <p className="form-error" role="alert">
              {refusal.message}
            </p>
          )}
        </div>
      </details>
      {opened === 'rename' && <RenameDialog session={session} onClose={closeDialog} />}
      {/* At once: what opened when its code comes, after a minute without a connection, would open over something else. */}
      {opened === 'invite' && (
        <Dialog title="Entrar com o telefone" className="invitation" onClose={closeDialog}>
          {Code ? <Code session={session} /> : <p role="status">Carregando…</p>}
          <div className="dialog-actions">
            <button type="button" onClick={closeDialog}>
              fechar
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
