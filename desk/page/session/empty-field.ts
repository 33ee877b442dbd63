import type { SignInRefusal } from './sign-in-words.ts';

/** The first field that must not be empty and is, with the focus on it; in words, as a browser's own are in its language. */
export function refuseEmptyField(form: HTMLFormElement): SignInRefusal | undefined {
  const empty = [...form.querySelectorAll<HTMLInputElement>('input[required]')].find(
    ({ value }) => value.trim() === '',
  );
  if (!empty) return undefined;
  empty.focus();
  return { message: empty.name === 'key' ? 'Escreva a chave da mesa.' : 'Escreva o nome: fica no registro.' };
}
