import type { SignInRefusal } from './sign-in-words.ts';

/** States why a request was refused. */
export function SignInError({ refusal }: { readonly refusal: SignInRefusal | undefined }) {
  return (
    <p className="form-error" role="alert">
      {refusal?.message}
    </p>
  );
}
