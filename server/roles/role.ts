import { FIRESTORE_SETTINGS } from '../firestore-settings.ts';
import type { SettingReader } from '../setting-reader.ts';

export type Role = 'all-in-one' | 'counter' | 'edge';

const ALL_IN_ONE = 'a process without ROLE';
const COUNTER = 'ROLE=counter';
const EDGE = 'ROLE=edge';

type Refused = readonly (readonly [names: readonly string[], why: string])[];

const NATS_SETTINGS = [
  'NATS_URL',
  'NATS_USER',
  'NATS_PASSWORD',
  'NATS_CREDS',
  'NATS_CA_FILE',
  'DEPLOYMENT',
  'NODE_NAME',
];
const RECORD_SETTINGS = ['ALARM_WEBHOOK_URL', 'ALARM_WEBHOOK_SECRET', 'RECORD_DATABASE_URL'];
/** A counter takes these for the event whose flow it watches. */
const FLOW_SETTINGS: ReadonlySet<string> = new Set(['EVENT_ID', 'SIMULATED', 'TIME_ZONE']);

const SOURCE_SETTINGS = ['SOURCE_DATABASE_URL', 'UNWATCHED_SUBSCRIPTIONS'];
const OTHER_PROGRAMS_SETTINGS = [
  'MIGRATE_DATABASE_URL',
  'GATES_DATABASE_URL',
  'GATES_HTTP_KEY',
  'GATES_HI_EVENTS_SECRET',
  'GATES_PRETIX_TOKEN',
];

const EVENTS_SETTING = ['EVENTS_FILE'];
const STATE_SETTING = ['STATE_DIR'];
const BOARD_SETTINGS = [
  'EVENT_ID',
  'EVENT_TITLE',
  'SIMULATED',
  'TIME_ZONE',
  'DASHBOARD_EMAIL',
  'DASHBOARD_KEY',
  'SESSION_SECRET',
  'TRUST_PROXY',
  'MAX_VIEWERS',
  'MAX_VIEWERS_PER_ADDRESS',
];

/** Settings that a role does not use are refused, as the operator expects an effect of them. */
const REFUSED: Readonly<Record<Role, Refused>> = {
  'all-in-one': [
    [NATS_SETTINGS, `${ALL_IN_ONE} uses no NATS: leave it out, or set ${COUNTER} or ${EDGE}`],
    [STATE_SETTING, `${ALL_IN_ONE} keeps what it keeps in DATA_DIR: leave it out`],
    [EVENTS_SETTING, `${ALL_IN_ONE} serves one event, that of EVENT_ID: leave it out, or run ${EDGE}`],
  ],
  counter: [
    [
      [...BOARD_SETTINGS.filter((name) => !FLOW_SETTINGS.has(name)), ...EVENTS_SETTING],
      `${COUNTER} counts every event and serves no screen: set it for the edges`,
    ],
    [STATE_SETTING, `${COUNTER} keeps nothing: leave it out`],
    [['EMBEDDED_DATABASE_PORT'], `${COUNTER} brings no PostgreSQL: leave it out`],
    [['DESK_KEY'], `desks sign in at ${EDGE}: set it there, and RECORD_DATABASE_URL here`],
  ],
  edge: [
    [
      ['DATABASE_URL', ...SOURCE_SETTINGS, ...FIRESTORE_SETTINGS, 'DATA_DIR', 'EMBEDDED_DATABASE_PORT'],
      `${EDGE} does not want it, as it faces the screens and must know nothing of the database: set it for the counters`,
    ],
    [
      OTHER_PROGRAMS_SETTINGS,
      `${EDGE} does not want it, as it faces the screens and must know nothing of the database: leave it out`,
    ],
    [RECORD_SETTINGS, `${COUNTER} watches the flow and writes its record: set it there, and DESK_KEY here`],
  ],
};

/** Adds a fault for each setting that this role does not take. */
export function refuseOthersSettings(role: Role, settings: SettingReader): void {
  for (const [names, why] of REFUSED[role]) {
    for (const name of names)
      if (settings.text(name) !== undefined) settings.faults.push(`${name} is set: ${why}`);
  }
}
