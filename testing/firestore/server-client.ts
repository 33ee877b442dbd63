import { Firestore } from '@google-cloud/firestore';
import { closeOnce } from '../close-once.ts';

// Otherwise the library looks for a machine of Google's for seconds, and warns that there is none.
process.env['METADATA_SERVER_DETECTION'] = 'none';

/** Google's server library as the owner of a project of the emulator, or of the stand-in; closed with the test. */
export function openServerClient(host: string, project: string): Firestore {
  const client = new Firestore({ projectId: project, host, ssl: false });
  closeOnce(() => client.terminate());
  return client;
}
