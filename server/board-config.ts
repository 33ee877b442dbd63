import { isIP } from 'node:net';
import { titleFault, titleOf } from '../domain/event-title.ts';
import { DEFAULT_EVENT_ID, DOCUMENT_ID_FORM, isDocumentId, isEventId, oneEventId } from '../domain/event.ts';
import { JsonFileError } from '../domain/json-file.ts';
import { DEFAULT_TIME_ZONE, isTimeZone } from '../domain/time-zone.ts';
import type { Venue } from '../domain/venue.ts';
import { readTrustedProxies } from '../board/http/trusted-proxies.ts';
import type { SettingReader } from './setting-reader.ts';
import { readVenueFile } from '../board/venue/venue-file.ts';

export interface ListenConfig {
  readonly port: number;
  readonly host: string;
  /** Where the metrics are read; `undefined`: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
}

/** An address to listen at, and the setting of its port. */
export interface Listener {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** The settings of a process that serves screens, wherever its counts come from. */
export interface BoardConfig extends ListenConfig {
  readonly eventId: string;
  /** It begins with "Triagem". */
  readonly title: string;
  /** VENUE_FILE; `undefined`: the default venue. */
  readonly venue: Venue | undefined;
  /** The zone of the clock on the screen, an IANA name: TIME_ZONE, else the venue's. */
  readonly timeZone: string;
  /** The event is simulated: the screen and the record state that. */
  readonly demo: boolean;
  readonly dashboardEmail: string;
  /** `undefined`: the embedded database's data folder keeps one. */
  readonly dashboardKey: string | undefined;
  readonly sessionSecret: string | undefined;
  /** Trust X-Forwarded-* of no peer, of these addresses (with commas), or of every peer (`true`). */
  readonly trustProxy: boolean | string;
  /** The most streams at the same time, in all and from one address. */
  readonly maxViewers: number;
  readonly maxViewersPerAddress: number;
}

export function readListenSettings(settings: SettingReader): ListenConfig {
  return {
    port: settings.port('PORT', 3000),
    host: settings.text('HOST') ?? '127.0.0.1',
    metrics: settings.text('METRICS_PORT')
      ? { host: settings.text('METRICS_HOST') ?? '127.0.0.1', port: settings.port('METRICS_PORT', 0) }
      : undefined,
  };
}

/** Where the event is, which decides the form of its ID. An edge serves the events of its counters, whatever their source. */
export type EventPlace = 'postgres' | 'firestore' | 'counters';

interface BoardNeeds {
  /** The setting that makes account and keys required, as "with DATABASE_URL"; `undefined` if none does. */
  readonly accountNeededWith: string | undefined;
  readonly eventIn: EventPlace;
}

export function readBoardSettings(
  settings: SettingReader,
  { accountNeededWith, eventIn }: BoardNeeds,
): BoardConfig {
  const { faults } = settings;
  const email = settings.text('DASHBOARD_EMAIL');
  if (email === undefined && accountNeededWith !== undefined) {
    faults.push(
      `DASHBOARD_EMAIL is missing: ${accountNeededWith}, name the account that the screens sign in with`,
    );
  } else if (email !== undefined && !/^\S+@\S+$/.test(email)) {
    faults.push(`DASHBOARD_EMAIL is "${email}": give an e-mail address`);
  }
  const venue = readVenueSetting(settings);
  return {
    ...readListenSettings(settings),
    eventId: readEventId(settings, eventIn),
    title: readTitle(settings),
    venue,
    timeZone: readTimeZone(settings.text('TIME_ZONE') ?? venue?.timeZone, faults),
    demo: readSimulated(settings.text('SIMULATED'), faults),
    dashboardEmail: email ?? 'painel@triagem.local',
    dashboardKey: settings.secret('DASHBOARD_KEY', accountNeededWith),
    sessionSecret: settings.secret('SESSION_SECRET', accountNeededWith),
    trustProxy: readTrustProxy(settings.text('TRUST_PROXY'), faults),
    maxViewers: settings.count('MAX_VIEWERS', 20_000),
    maxViewersPerAddress: settings.count('MAX_VIEWERS_PER_ADDRESS', 1_000),
  };
}

export function readEventId(settings: SettingReader, eventIn: EventPlace): string {
  const eventId = settings.text('EVENT_ID') ?? DEFAULT_EVENT_ID;
  const isRight = eventIn === 'postgres' ? isEventId(eventId) : isDocumentId(eventId);
  if (!isRight) {
    const form = eventIn === 'postgres' ? '32 hexadecimal characters' : DOCUMENT_ID_FORM;
    settings.faults.push(`EVENT_ID is "${eventId}": give ${form}`);
  }
  // The document of this ID would be another one.
  return eventIn === 'firestore' ? eventId : oneEventId(eventId);
}

export function listenersOf({ host, port, metrics }: ListenConfig): Listener[] {
  return [{ name: 'PORT', host, port }, ...(metrics ? [{ name: 'METRICS_PORT', ...metrics }] : [])];
}

/** Describes the listeners that share one port of one address; port 0 is a free one for each. */
export function sharedPorts(listeners: readonly Listener[]): string[] {
  return listeners.flatMap((one, index) =>
    listeners
      .slice(0, index)
      .filter((other) => one.port !== 0 && one.port === other.port && mayOverlap(one.host, other.host))
      .map(({ name }) => `${one.name} is ${one.port}, and so is ${name}: give each a port of its own`),
  );
}

function mayOverlap(one: string, other: string): boolean {
  const isConcrete = (host: string): boolean => isIP(host) !== 0 && host !== '0.0.0.0' && host !== '::';
  return one === other || !isConcrete(one) || !isConcrete(other);
}

function readTitle(settings: SettingReader): string {
  const title = settings.text('EVENT_TITLE');
  const fault = title === undefined ? undefined : titleFault(title);
  if (fault !== undefined) settings.faults.push(`EVENT_TITLE ${fault}`);
  return titleOf(title);
}

export function readVenueSetting(settings: SettingReader): Venue | undefined {
  const path = settings.text('VENUE_FILE');
  if (path === undefined) return undefined;
  try {
    return readVenueFile(path);
  } catch (error) {
    if (!(error instanceof JsonFileError)) throw error;
    settings.faults.push(...error.faults.map((fault) => `VENUE_FILE is "${path}": ${fault}`));
    return undefined;
  }
}

export function readTimeZone(value = DEFAULT_TIME_ZONE, faults: string[]): string {
  if (!isTimeZone(value)) {
    faults.push(`TIME_ZONE is "${value}": give an IANA name, as America/Sao_Paulo or America/Manaus`);
  }
  return value;
}

function readTrustProxy(value: string | undefined, faults: string[]): boolean | string {
  try {
    return readTrustedProxies(value);
  } catch (error) {
    faults.push((error as RangeError).message);
    return false;
  }
}

export function readSimulated(value: string | undefined, faults: string[]): boolean {
  if (value !== undefined && value !== 'yes') faults.push(`SIMULATED is "${value}": give yes, or nothing`);
  return value === 'yes';
}
