import { type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { useStore } from '../../../page/use-store.ts';
import { Dialog } from '../frame/dialog.tsx';
import type { DeskSession, Secret } from './desk-session.ts';
import { type LinkFragment, takeLinkFragment } from './link-fragment.ts';
import { refuseEmptyField } from './empty-field.ts';
import { SignInError } from './sign-in-error.tsx';
import type { SignInRefusal } from './sign-in-words.ts';

/** Covers the page while there is no session. */
export function SignInDialog(props: {
  readonly session: DeskSession;
  readonly link: LinkFragment | undefined;
}) {
  const { session } = props;
  const state = useStore(session.state, (current) => current);
  const [link, setLink] = useState(props.link);
  // A link that is opened where the page already is only changes the fragment.
  useEffect(() => {
    const open = (): void => setLink((current) => takeLinkFragment(window) ?? current);
    window.addEventListener('hashchange', open);
    return () => window.removeEventListener('hashchange', open);
  }, []);
  if (state.kind !== 'signed-out') return null;
  return (
    <SignInForm key={JSON.stringify(link ?? {})} session={session} link={link} hadName={state.hadName} />
  );
}

function SignInForm(props: {
  readonly session: DeskSession;
  readonly link: LinkFragment | undefined;
  readonly hadName: string | undefined;
}) {
  const { session, link, hadName } = props;
  const [invitation, setInvitation] = useState(link && 'invitation' in link ? link.invitation : undefined);
  const [refusal, setRefusal] = useState<SignInRefusal>();
  const [isSending, setSending] = useState(false);

  const send = async (name: string, secret: Secret) => {
    setSending(true);
    const refused = await session.signIn(name, secret);
    setSending(false);
    // 429: after many wrong ones. A right one is always taken.
    if (refused?.status !== 401 && refused?.status !== 429) return setRefusal(refused);
    if ('key' in secret)
      return setRefusal({
        message: 'A chave não confere. Pode ter mudado: peça a chave a quem administra o sistema.',
      });
    setInvitation(undefined);
    setRefusal({
      message:
        'O convite já foi usado, ou passaram os dois minutos. Peça outro código, ou entre com a chave.',
    });
  };
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isSending) return;
    const empty = refuseEmptyField(event.currentTarget);
    if (empty) return setRefusal(empty);
    const fields = new FormData(event.currentTarget);
    const name = textOf(fields, 'name');
    // A pasted key may end with a blank.
    void send(name, invitation === undefined ? { key: textOf(fields, 'key').trim() } : { invitation });
  };
  const isOpened = useRef(false);
  useEffect(() => {
    if (isOpened.current || hadName !== undefined || !link || !('key' in link) || !link.name) return;
    isOpened.current = true;
    void send(link.name, { key: link.key });
  });

  return (
    <Dialog title={hadName === undefined ? 'Mesa de fluxo' : 'A sessão terminou'} className="sign-in">
      {hadName !== undefined && (
        <p>A sessão não vale mais: entre outra vez. O que estava sendo escrito continua na página.</p>
      )}
      <form noValidate onSubmit={submit}>
        <label>
          Nome
          <input
            name="name"
            autoComplete="username"
            required
            maxLength={60}
            defaultValue={hadName ?? (link && 'key' in link ? link.name : undefined)}
            aria-describedby="name-hint"
          />
        </label>
        <p className="hint" id="name-hint">
          Fica no registro, com tudo o que for lançado nesta mesa.
        </p>
        {invitation === undefined && (
          <label>
            Chave
            <input
              name="key"
              type="password"
              autoComplete="current-password"
              required
              defaultValue={link && 'key' in link ? link.key : undefined}
            />
          </label>
        )}
        <SignInError refusal={refusal} />
        <button type="submit" className="primary" aria-disabled={isSending}>
          {isSending ? 'entrando…' : 'entrar'}
        </button>
      </form>
    </Dialog>
  );
}

function textOf(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
}
