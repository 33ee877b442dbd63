import { expect, test } from 'vitest';
import { readWebhookSettings } from './settings.ts';

const PRETIX = {
  EVENT_ID: 'A'.repeat(32),
  GATES_PRETIX_URL: 'https://pretix.example.org/api/v1/organizers/clube/events/final/checkinlists/7/',
  GATES_PRETIX_TOKEN: 'um-token',
};

test('the address of a check-in list says where all else is asked for', () => {
  expect(readWebhookSettings(PRETIX).pretix).toEqual({
    eventId: 'a'.repeat(32),
    eventUrl: 'https://pretix.example.org/api/v1/organizers/clube/events/final',
    organizer: 'clube',
    event: 'final',
    list: 7,
    token: 'um-token',
  });
  expect(readWebhookSettings({ GATES_HI_EVENTS_SECRET: ' segredo-1,segredo-2 ' })).toEqual({
    hiEventsSecrets: ['segredo-1', 'segredo-2'],
    pretix: undefined,
  });
});

test.each([
  [{ EVENT_ID: undefined }, 'needs EVENT_ID'],
  [{ GATES_PRETIX_TOKEN: ' ' }, 'needs GATES_PRETIX_TOKEN'],
  [{ GATES_PRETIX_URL: 'https://pretix.example.org/clube/final' }, 'instead of https://HOST/api/v1'],
  [{ GATES_PRETIX_URL: PRETIX.GATES_PRETIX_URL.replace('https', 'ftp') }, 'instead of https://HOST/api/v1'],
  [{ GATES_HI_EVENTS_SECRET: 'segredo-1,curto' }, 'GATES_HI_EVENTS_SECRET is too short'],
])('%o is a wrong setting', (more, message) => {
  expect(() => readWebhookSettings({ ...PRETIX, ...more })).toThrow(message);
});
