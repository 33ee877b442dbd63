import type { SignInResult } from '../../../page/connection/connection.ts';
import { readRefusal, UNREACHABLE } from '../../../page/connection/retry-policy.ts';
import { createStore, type ReadableStore } from '../../../page/store.ts';
import { refusedSignIn, type SignInRefusal, UNREACHABLE_SERVER } from './sign-in-words.ts';

/** The operator at this desk. The session itself is a cookie, which the page cannot see. */
interface Operator {
  readonly name: string;
}

export type Secret = { readonly key: string } | { readonly invitation: string };

export interface Invitation {
  readonly invitation: string;
  /** Unix milliseconds, by the server's clock. */
  readonly endsAtMs: number;
}

type SessionState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'signed-in'; readonly operator: Operator }
  /** `hadName`: the operator whose session ended. */
  | { readonly kind: 'signed-out'; readonly hadName: string | undefined };

export interface DeskSession {
  readonly state: ReadableStore<SessionState>;
  /** Resolves once there is a session; the connection signs in with it. */
  readonly require: (call: {
    readonly fetch: typeof fetch;
    readonly signal: AbortSignal;
  }) => Promise<SignInResult<object>>;
  /** Called when the server has refused the session. Displays the form, and resolves once somebody has signed in. */
  readonly ended: () => Promise<void>;
  /** Resolves with `undefined` on success. */
  readonly signIn: (name: string, secret: Secret) => Promise<SignInRefusal | undefined>;
  readonly rename: (name: string) => Promise<SignInRefusal | undefined>;
  readonly invite: () => Promise<Invitation | SignInRefusal>;
  readonly signOut: () => Promise<SignInRefusal | undefined>;
}

const API = '/fluxo/api';

const ANSWER_LIMIT_MS = 15_000;

export function openSession(fetch: typeof globalThis.fetch): DeskSession {
  const state = createStore<SessionState>({ kind: 'unknown' });

  const post = async (path: string, body?: unknown): Promise<Response | SignInRefusal> => {
    try {
      const response = await fetch(`${API}${path}`, {
        method: 'POST',
        cache: 'no-store',
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      });
      return response.ok ? response : await refusedSignIn(response);
    } catch {
      return UNREACHABLE_SERVER;
    }
  };
  const change = async (path: string, body: unknown, name: string): Promise<SignInRefusal | undefined> => {
    const answer = await post(path, body);
    if (!(answer instanceof Response)) return answer;
    state.set({ kind: 'signed-in', operator: { name } });
    return undefined;
  };
  const untilSignedIn = (): Promise<void> =>
    new Promise((resolve) => {
      const leave = state.subscribe(() => {
        if (state.get().kind !== 'signed-in') return;
        leave();
        resolve();
      });
    });
  const ended = (): Promise<void> => {
    const current = state.get();
    const signedIn = untilSignedIn();
    if (current.kind !== 'signed-out') {
      const hadName = current.kind === 'signed-in' ? current.operator.name : undefined;
      state.set({ kind: 'signed-out', hadName });
    }
    return signedIn;
  };

  return {
    state,
    ended,
    async require({ fetch: ask, signal }) {
      try {
        const response = await ask(`${API}/session`, { cache: 'no-store', signal });
        if (response.ok) {
          const { name } = (await response.json()) as Operator;
          const current = state.get();
          const isKnown = current.kind === 'signed-in' && current.operator.name === name;
          if (!isKnown) state.set({ kind: 'signed-in', operator: { name } });
          return { kind: 'signed-in', session: {} };
        }
        if (response.status !== 401) return readRefusal(response);
      } catch {
        return UNREACHABLE;
      }
      await ended();
      return { kind: 'signed-in', session: {} };
    },
    signIn: (name, secret) => change('/sign-in', { name, ...secret }, name),
    rename: (name) => change('/operator', { name }, name),
    async invite() {
      const answer = await post('/invitations');
      return answer instanceof Response ? ((await answer.json()) as Invitation) : answer;
    },
    async signOut() {
      const answer = await post('/sign-out');
      return answer instanceof Response ? undefined : answer;
    },
  };
}
