import { type SyntheticEvent, useState } from 'react';
import { Dialog } from '../frame/dialog.tsx';
import type { DeskSession } from './desk-session.ts';
import { refuseEmptyField } from './empty-field.ts';
import { SignInError } from './sign-in-error.tsx';
import type { SignInRefusal } from './sign-in-words.ts';

/** Another operator takes this desk over in the same session, with a name alone. */
export function RenameDialog(props: { readonly session: DeskSession; readonly onClose: () => void }) {
  const { session, onClose } = props;
  const [refusal, setRefusal] = useState<SignInRefusal>();
  const submit = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const empty = refuseEmptyField(event.currentTarget);
    if (empty) return setRefusal(empty);
    const name = new FormData(event.currentTarget).get('name');
    const refused = await session.rename(typeof name === 'string' ? name : '');
    if (!refused) return onClose();
    setRefusal(refused);
    if (refused.status === 401) void session.ended();
  };
  return (
    <Dialog title="Trocar operador" onClose={onClose}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <label>
          Nome de quem assume
          <input name="name" autoComplete="off" required maxLength={60} />
        </label>
        <SignInError refusal={refusal} />
        <div className="dialog-actions">
          <button type="submit" className="primary">
            assumir
          </button>
          <button type="button" onClick={onClose}>
            cancelar
          </button>
        </div>
      </form>
    </Dialog>
  );
}
