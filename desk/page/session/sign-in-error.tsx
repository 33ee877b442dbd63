import { useEffect, useState } from 'react';
import type { SignInRefusal } from './sign-in-words.ts';

/** States why a request was refused, and how long to wait. */
export function SignInError({ refusal }: { readonly refusal: SignInRefusal | undefined }) {
  return (
    <p className="form-error" role="alert">
      {refusal?.message}
      {refusal?.notBeforeMs !== undefined && <Wait key={refusal.notBeforeMs} untilMs={refusal.notBeforeMs} />}
    </p>
  );
}

function Wait({ untilMs }: { readonly untilMs: number }) {
  const leftSeconds = useSecondsUntil(untilMs);
  return leftSeconds > 0 ? ` Espere ${leftSeconds} s e tente de novo.` : ' Tente de novo.';
}

/** The whole seconds until `atMs` of `performance.now()`; a component must not use it twice. */
export function useSecondsUntil(atMs: number): number {
  const [nowMs, setNowMs] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => {
      const now = performance.now();
      setNowMs(now);
      if (now >= atMs) clearInterval(timer);
    }, 1_000);
    return () => clearInterval(timer);
  }, [atMs]);
  return Math.max(0, Math.ceil((atMs - nowMs) / 1_000));
}
