import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { freePort } from '../../../database/embedded/free-port.ts';
import { OperatorError } from '../../../domain/operator-error.ts';
import { startIdentityStandIn } from './identity-stand-in.ts';
import { startService } from './service-process.ts';

/** The sign-in service of a Firebase project. */
export interface IdentityService {
  /** The address in the form of FIREBASE_AUTH_EMULATOR_HOST. */
  readonly host: string;
  readonly isStandIn: boolean;
  /** Resolves with the account's ID, which security rules name. */
  createAccount(email: string, password: string): Promise<string>;
  stop(): Promise<void>;
}

/** The emulator takes any key. */
export const API_KEY = 'demo';

/** Starts Google's Auth emulator where firebase-tools is on PATH, else a stand-in for it. */
export function startIdentityService(project: string, signal: AbortSignal): Promise<IdentityService> {
  const firebase = findFirebase(process.env['PATH'] ?? '');
  return firebase === undefined
    ? startIdentityStandIn(project)
    : startAuthEmulator(firebase, project, signal);
}

function findFirebase(path: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, 'firebase')).find((file) => existsSync(file));
}

async function startAuthEmulator(
  firebase: string,
  project: string,
  signal: AbortSignal,
): Promise<IdentityService> {
  const [auth, hub, logging] = [await freePort(), await freePort(), await freePort()];
  const at = (port: number) => ({ host: '127.0.0.1', port });
  const host = `127.0.0.1:${auth}`;
  const settings = { auth: at(auth), hub: at(hub), logging: at(logging), ui: { enabled: false } };
  const service = await startService({
    name: 'The Auth emulator of firebase-tools',
    command: [firebase, 'emulators:start', '--only', 'auth', '--project', project],
    files: { 'firebase.json': JSON.stringify({ emulators: settings }) },
    url: `http://${host}/`,
    stopSignal: 'SIGTERM',
    signal,
  });
  const createAccount: IdentityService['createAccount'] = (email, password) => signUp(host, email, password);
  return { ...service, host, isStandIn: false, createAccount };
}

async function signUp(host: string, email: string, password: string): Promise<string> {
  const url = `http://${host}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=${API_KEY}`;
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, returnSecureToken: true }),
  });
  const { localId } = (await answer.json()) as { readonly localId?: string };
  if (localId === undefined) throw new OperatorError('The Auth emulator creates no account.');
  return localId;
}
