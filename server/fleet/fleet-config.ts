import {
  type BoardConfig,
  type EventPlace,
  type ListenConfig,
  listenersOf,
  readBoardSettings,
  readEventId,
  readListenSettings,
  readVenueSetting,
  sharedPorts,
} from '../board-config.ts';
import { isInPostgres, type SourceSettings } from '../../board/sources/source-settings.ts';
import { JsonFileError } from '../../domain/json-file.ts';
import type { Venue } from '../../domain/venue.ts';
import { readEventsFile } from '../../fleet/events/events-file.ts';
import { ConfigError } from '../config-error.ts';
import { refuseOthersSettings } from '../roles/role.ts';
import { type Environment, SettingReader } from '../setting-reader.ts';
import { readSourceSettings } from '../source-settings.ts';
import { type CounterFlowConfig, readFlowSettings } from './flow-settings.ts';
import { readRelaySettings, type RelayConfig } from './nats-settings.ts';

export interface CounterConfig extends ListenConfig, RelayConfig {
  readonly role: 'counter';
  /** Where the tickets are. */
  readonly source: SourceSettings;
  /** The only event that it counts; `undefined`: every event of the source. */
  readonly eventId: string | undefined;
  /** The codes of this venue are always counted separately; `undefined`: the default venue. */
  readonly venue: Venue | undefined;
  /** `undefined`: it watches no flow. */
  readonly flow: CounterFlowConfig | undefined;
}

export interface EdgeConfig extends BoardConfig, RelayConfig {
  readonly role: 'edge';
  readonly dashboardKey: string;
  readonly sessionSecret: string;
  /** The file of its events by host name; `undefined`: the one of EVENT_ID, under every name. */
  readonly eventsFile: string | undefined;
  /** The key of the flow desk, or the one from which each event's is derived; `undefined`: there are no desks. */
  readonly deskKey: string | undefined;
  /** The folder for what must survive a restart; `undefined`: one in the project. */
  readonly stateDir: string | undefined;
}

export type FleetConfig = CounterConfig | EdgeConfig;

/** Returns `undefined` for a role that is not of a fleet. @throws ConfigError: it names every fault */
export function readFleetConfig(role: string, env: Environment): FleetConfig | undefined {
  if (role === 'counter') return readCounterConfig(env);
  return role === 'edge' ? readEdgeConfig(env) : undefined;
}

function readCounterConfig(env: Environment): CounterConfig {
  const settings = new SettingReader(env);
  refuseOthersSettings('counter', settings);
  const source = readSourceSettings(settings);
  const eventIn = isInPostgres(source) ? 'postgres' : 'firestore';
  if (eventIn === 'postgres') refuseToBringDatabase(settings);
  const venue = readVenueSetting(settings);
  const config: CounterConfig = {
    role: 'counter',
    ...readListenSettings(settings),
    ...readRelaySettings(settings),
    source,
    eventId: eventIn === 'firestore' ? readOnlyEventId(settings, eventIn) : undefined,
    venue,
    flow: readFlowSettings(settings, venue, eventIn),
  };
  settings.faults.push(...sharedPorts(listenersOf(config)));
  if (settings.faults.length > 0) throw new ConfigError(settings.faults);
  return config;
}

function refuseToBringDatabase(settings: SettingReader): void {
  settings.needed(
    'DATABASE_URL',
    'a counter observes a database, name it (or a Firebase project, as FIRESTORE_PROJECT)',
  );
  // A Firestore source keeps its knowledge of the tickets there.
  if (settings.text('DATA_DIR') !== undefined)
    settings.faults.push('DATA_DIR is set: ROLE=counter brings no PostgreSQL: leave it out');
}

function readOnlyEventId(settings: SettingReader, eventIn: EventPlace): string {
  settings.needed('EVENT_ID', 'a counter that observes no PostgreSQL counts one event, name it');
  return readEventId(settings, eventIn);
}

function readEdgeConfig(env: Environment): EdgeConfig {
  const settings = new SettingReader(env);
  refuseOthersSettings('edge', settings);
  const board = readBoardSettings(settings, {
    accountNeededWith: 'an edge keeps no secrets of its own',
    eventIn: 'counters',
  });
  const { dashboardKey = '', sessionSecret = '' } = board;
  const config: EdgeConfig = {
    role: 'edge',
    ...board,
    dashboardKey,
    sessionSecret,
    eventsFile: readEventsSetting(settings),
    deskKey: settings.secret('DESK_KEY'),
    stateDir: settings.text('STATE_DIR'),
    ...readRelaySettings(settings),
  };
  settings.faults.push(...sharedPorts(listenersOf(config)));
  if (settings.faults.length > 0) throw new ConfigError(settings.faults);
  return config;
}

const EVENT_SETTINGS = ['EVENT_ID', 'EVENT_TITLE', 'VENUE_FILE'];

function readEventsSetting(settings: SettingReader): string | undefined {
  const path = settings.text('EVENTS_FILE');
  if (path === undefined) return undefined;
  for (const name of EVENT_SETTINGS) {
    if (settings.text(name) === undefined) continue;
    settings.faults.push(`${name} is set: EVENTS_FILE has it for each of its events, leave one of them out`);
  }
  try {
    readEventsFile(path);
  } catch (error) {
    if (!(error instanceof JsonFileError)) throw error;
    settings.faults.push(...error.faults.map((fault) => `EVENTS_FILE is "${path}": ${fault}`));
  }
  return path;
}
