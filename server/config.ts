import { isIP } from 'node:net';
import { DEFAULT_EVENT_ID, isEventId } from '../domain/event.ts';
import { connectionStringProblem } from './database/connection-string.ts';
import { DEFAULT_TIME_ZONE, isTimeZone } from '../domain/time-zone.ts';
import { JsonFileError } from '../domain/json-file.ts';
import type { Venue } from '../domain/venue.ts';
import { OperatorError } from './errors.ts';
import type { WebhookTarget } from './webhook-target.ts';
import { readVenueFile } from './venue-file.ts';
import { faultOfOwnAddress, type Listener, readWebhookSettings } from './webhook-settings.ts';

/** Everything that can be set, checked. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly eventId: string;
  /** As shown: it begins with "Triagem". */
  readonly title: string;
  /** Of VENUE_FILE; `undefined`: the default venue. */
  readonly venue: Venue | undefined;
  /** Of the clock on the screen: an IANA name. TIME_ZONE comes before the venue's. */
  readonly timeZone: string;
  /** Nothing of the event is real: the screen says that it is a demonstration, and the record that it is simulated. */
  readonly demo: boolean;
  readonly dashboardEmail: string;
  /** `undefined`: the embedded database's data folder keeps one. */
  readonly dashboardKey: string | undefined;
  readonly sessionSecret: string | undefined;
  /** What opens the flow desk; `undefined`: there is none. */
  readonly deskKey: string | undefined;
  /** Where alarms are sent; `undefined`: nowhere. */
  readonly alarmWebhook: WebhookTarget | undefined;
  /** Whose X-Forwarded-* is believed: nobody's, that of these addresses (with commas), or `true`: of whoever connects. */
  readonly trustProxy: boolean | string;
  /** The most streams at the same time, in all and from one address. */
  readonly maxViewers: number;
  readonly maxViewersPerAddress: number;
  /** Where the metrics are read; `undefined`: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** Where the flow is recorded; `undefined`: in the embedded database, else nowhere. */
  readonly recordUrl: string | undefined;
  readonly database:
    | { readonly kind: 'external'; readonly url: string }
    | {
        readonly kind: 'embedded';
        readonly dataDir: string | undefined;
        readonly subfolder: string | undefined;
        readonly port: number;
      };
}

/** The message names every setting at fault, with its fix. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';

  constructor(faults: readonly string[]) {
    super(`Triagem cannot start with these settings:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

export const MIN_SECRET_LENGTH = 16;

/** Reads the environment; an empty value counts as not set. Throws a ConfigError that names every fault. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const text = (name: string): string | undefined => env[name]?.trim() || undefined;
  const port = (name: string, fallback: number): number => {
    const value = text(name);
    if (value === undefined) return fallback;
    if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
    faults.push(`${name} is "${value}": give a port from 0 to 65535`);
    return fallback;
  };
  const count = (name: string, fallback: number): number => {
    const value = text(name);
    if (value === undefined) return fallback;
    if (/^[1-9]\d{0,6}$/.test(value)) return Number(value);
    faults.push(`${name} is "${value}": give a whole number from 1 to 9999999`);
    return fallback;
  };
  const secret = (name: string, needed: boolean): string | undefined => {
    const value = text(name);
    if (value === undefined) {
      if (needed)
        faults.push(`${name} is missing: with DATABASE_URL, set one (openssl rand -hex 24 makes one)`);
    } else if (value.length < MIN_SECRET_LENGTH) {
      faults.push(`${name} is too short: give at least ${MIN_SECRET_LENGTH} characters`);
    }
    return value;
  };

  const url = text('DATABASE_URL');
  const recordUrl = text('RECORD_DATABASE_URL');
  for (const [name, value] of Object.entries({ DATABASE_URL: url, RECORD_DATABASE_URL: recordUrl })) {
    const fault = value === undefined ? undefined : connectionStringProblem(value);
    if (fault !== undefined) faults.push(`${name} ${fault}`);
  }
  const eventId = text('EVENT_ID') ?? DEFAULT_EVENT_ID;
  if (!isEventId(eventId)) faults.push(`EVENT_ID is "${eventId}": give 32 hexadecimal characters`);
  const email = text('DASHBOARD_EMAIL');
  if (email === undefined && url !== undefined) {
    faults.push(
      'DASHBOARD_EMAIL is missing: with DATABASE_URL, name the account that the screens sign in with',
    );
  } else if (email !== undefined && !/^\S+@\S+$/.test(email)) {
    faults.push(`DASHBOARD_EMAIL is "${email}": give an e-mail address`);
  }

  const venue = readVenueSetting(text('VENUE_FILE'), faults);

  const config: Config = {
    port: port('PORT', 3000),
    host: text('HOST') ?? '127.0.0.1',
    eventId,
    title: titleOf(text('EVENT_TITLE')),
    venue,
    timeZone: readTimeZone(text('TIME_ZONE') ?? venue?.timeZone, faults),
    demo: readSimulated(text('SIMULATED'), faults),
    dashboardEmail: email ?? 'painel@triagem.local',
    dashboardKey: secret('DASHBOARD_KEY', url !== undefined),
    sessionSecret: secret('SESSION_SECRET', url !== undefined),
    deskKey: secret('DESK_KEY', false),
    alarmWebhook: readWebhookSettings(
      {
        url: text('ALARM_WEBHOOK_URL'),
        secret: text('ALARM_WEBHOOK_SECRET'),
        hasDesk: text('DESK_KEY') !== undefined,
      },
      faults,
    ),
    trustProxy: readTrustProxy(text('TRUST_PROXY'), faults),
    maxViewers: count('MAX_VIEWERS', 20_000),
    maxViewersPerAddress: count('MAX_VIEWERS_PER_ADDRESS', 1_000),
    metrics: text('METRICS_PORT')
      ? { host: text('METRICS_HOST') ?? '127.0.0.1', port: port('METRICS_PORT', 0) }
      : undefined,
    recordUrl,
    database: url
      ? { kind: 'external', url }
      : {
          kind: 'embedded',
          dataDir: text('DATA_DIR'),
          subfolder: undefined,
          port: port('EMBEDDED_DATABASE_PORT', 54_329),
        },
  };
  const listeners = listenersOf(config);
  faults.push(...sharedPorts(listeners));
  const ownAddress = config.alarmWebhook && faultOfOwnAddress(config.alarmWebhook, listeners);
  if (ownAddress !== undefined) faults.push(ownAddress);
  if (config.deskKey !== undefined && config.deskKey === config.dashboardKey) {
    faults.push(
      'DESK_KEY is the same as DASHBOARD_KEY, which every screen is told: give it a value of its own',
    );
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

function listenersOf({ host, port, metrics, database }: Config): readonly Listener[] {
  return [
    { name: 'PORT', host, port },
    ...(metrics ? [{ name: 'METRICS_PORT', ...metrics }] : []),
    ...(database.kind === 'embedded'
      ? [{ name: 'EMBEDDED_DATABASE_PORT', host: '127.0.0.1', port: database.port }]
      : []),
  ];
}

/** Two that would listen on one port of one address; 0 is a free one for each. */
function sharedPorts(listeners: readonly Listener[]): string[] {
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

/** "Triagem · " before the event's title, unless it begins so. */
export function titleOf(eventTitle: string | undefined): string {
  if (eventTitle === undefined || eventTitle === 'Triagem') return 'Triagem';
  return eventTitle.startsWith('Triagem · ') ? eventTitle : `Triagem · ${eventTitle}`;
}

function readTimeZone(value = DEFAULT_TIME_ZONE, faults: string[]): string {
  if (!isTimeZone(value)) {
    faults.push(`TIME_ZONE is "${value}": give an IANA name, as America/Sao_Paulo or America/Manaus`);
  }
  return value;
}

function readVenueSetting(path: string | undefined, faults: string[]): Venue | undefined {
  if (path === undefined) return undefined;
  try {
    return readVenueFile(path);
  } catch (error) {
    if (!(error instanceof JsonFileError)) throw error;
    faults.push(...error.faults.map((fault) => `VENUE_FILE is "${path}": ${fault}`));
    return undefined;
  }
}

const NAMED_RANGES: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

function readTrustProxy(value: string | undefined, faults: string[]): boolean | string {
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  const wrong = value.split(',').find((part) => !isAddressOrRange(part.trim()));
  if (wrong !== undefined) {
    faults.push(
      `TRUST_PROXY is "${value}": give the proxy's addresses or ranges with commas between them, as ` +
        '127.0.0.1,10.0.0.0/8, or loopback, linklocal, uniquelocal; or true or false',
    );
  }
  return value;
}

/** A number of hops is none: "1" would else be read as the address 0.0.0.1. */
function isAddressOrRange(text: string): boolean {
  if (NAMED_RANGES.has(text)) return true;
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function readSimulated(value: string | undefined, faults: string[]): boolean {
  if (value !== undefined && value !== 'yes') faults.push(`SIMULATED is "${value}": give yes, or nothing`);
  return value === 'yes';
}
