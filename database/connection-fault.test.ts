import { expect, test } from 'vitest';
import { connectionFault, type ServerPlace } from './connection-fault.ts';

const full = Object.assign(new Error('could not extend file "base/5/2619": No space left on device'), {
  code: '53100',
});

test.each<[ServerPlace, string]>([
  [{ dataDir: '/srv/triagem' }, 'The disk of the data folder /srv/triagem is full'],
  [{ setting: 'DATABASE_URL' }, 'The disk of the server of DATABASE_URL is full'],
  [{ setting: 'RECORD_DATABASE_URL' }, 'The disk of the server of RECORD_DATABASE_URL is full'],
])('a full disk is named: %o', (place, cause) => {
  expect(connectionFault(full, place)).toEqual({ cause, fix: 'free some space', shouldRetry: true });
});
