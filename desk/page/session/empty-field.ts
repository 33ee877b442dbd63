import type { SignInRefusal } from './sign-in-words.ts';

/** Focuses the first required field that is empty. A browser's own message would be in the browser's language. */
export function refuseEmptyField(form: HTMLFormElement): SignInRefusal | undefined {
  const empty = [...form.querySelectorAll<HTMLInputElement>('input[required]')].find(
    ({ value }) => value.trim() === '',
  );
  if (!empty) return undefined;
  empty.focus();
  return { message: empty.name === 'key' ? 'Escreva a chave da mesa.' : 'Escreva o nome: fica no registro.' };
}
