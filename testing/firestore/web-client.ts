import { randomBytes } from 'node:crypto';
import { deleteApp, type FirebaseApp, initializeApp } from '@firebase/app';
import {
  connectFirestoreEmulator,
  type Firestore,
  initializeFirestore,
  setLogLevel,
} from '@firebase/firestore';
import { closeOnce } from '../close-once.ts';

// Its warnings of lost connections are what the tests want.
setLogLevel('silent');

export interface WebClient {
  readonly app: FirebaseApp;
  readonly firestore: Firestore;
}

/** Firebase's library for pages, on this project of the emulator or of the stand-in; closed with the test. */
export function openWebClient(host: string, project: string, apiKey = 'none'): WebClient {
  const app = initializeApp({ projectId: project, apiKey }, randomBytes(6).toString('hex'));
  closeOnce(() => deleteApp(app));
  const firestore = initializeFirestore(app, {});
  const [name = '', port] = host.split(':');
  connectFirestoreEmulator(firestore, name, Number(port));
  return { app, firestore };
}
