import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../../testing/folder.ts';
import { SERVER_SETTINGS } from '../../testing/server/server.ts';
import { readRoleConfig } from '../roles/role-config.ts';

const ID = 'a'.repeat(32);
const { EVENT_TITLE: _title, ...ACCOUNT } = SERVER_SETTINGS;
const EDGE = { ...ACCOUNT, ROLE: 'edge', NATS_URL: 'nats://127.0.0.1:4222' };

const fileOf = (text: string): string => join(makeTestFolder({ 'events.json': text }), 'events.json');
const good = (): string => fileOf(JSON.stringify({ 'a.test': { eventId: ID } }));

test('an edge serves the events of EVENTS_FILE, or else the one of EVENT_ID', () => {
  const path = good();
  expect(readRoleConfig({ ...EDGE, EVENTS_FILE: path })).toMatchObject({ role: 'edge', eventsFile: path });
  expect(readRoleConfig({ ...EDGE, EVENT_ID: ID })).toMatchObject({ eventId: ID, eventsFile: undefined });
});

test.each(['EVENT_ID', 'EVENT_TITLE', 'VENUE_FILE'])('%s beside it is refused: two would say it', (name) => {
  const values: Record<string, string> = {
    EVENT_ID: ID,
    EVENT_TITLE: 'Final',
    VENUE_FILE: 'venues/castelao.json',
  };
  expect(() => readRoleConfig({ ...EDGE, EVENTS_FILE: good(), [name]: values[name] })).toThrow(
    `${name} is set: EVENTS_FILE has it for each of its events, leave one of them out`,
  );
});

test('its faults are reported with those of the other settings, in one message', () => {
  const path = fileOf('{\n  "a.test": { "eventId": "x/y", "venueFile": "none.json" }\n}');
  expect(() => readRoleConfig({ ...EDGE, EVENTS_FILE: path, PORT: 'x' })).toThrow(
    new RegExp(
      [
        'PORT is "x"',
        `EVENTS_FILE is ".*": line 2: eventId of "a.test" is "x/y": give 32 hexadecimal characters`,
        `EVENTS_FILE is ".*": line 2: venueFile of "a.test" is "none.json": there is no such file`,
      ].join('[^]*'),
    ),
  );
});

test.each([
  [
    {},
    /EVENTS_FILE is set: a process without ROLE serves one event, that of EVENT_ID: leave it out, or run ROLE=edge/,
  ],
  [
    { ROLE: 'counter', NATS_URL: EDGE.NATS_URL },
    /EVENTS_FILE is set: ROLE=counter counts every event and serves no screen: set it for the edges/,
  ],
])('only an edge accepts it: %j', (env, message) => {
  expect(() => readRoleConfig({ ...env, EVENTS_FILE: good() })).toThrow(message);
});
