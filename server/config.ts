import { DEFAULT_EVENT_ID, isEventId } from '../domain/event.ts';

/** Everything that can be set, checked. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly eventId: string;
  /** As shown: it begins with "Triagem". */
  readonly title: string;
  /** The screen says that it is a demonstration. */
  readonly demo: boolean;
  readonly dashboardEmail: string;
  /** `undefined`: the embedded database's data folder keeps one. */
  readonly dashboardKey: string | undefined;
  readonly sessionSecret: string | undefined;
  /** As Fastify takes it: whether, or from which addresses, X-Forwarded-* is believed. */
  readonly trustProxy: boolean | string;
  readonly database:
    | { readonly kind: 'external'; readonly url: string }
    | {
        readonly kind: 'embedded';
        readonly dataDir: string | undefined;
        readonly subfolder: string | undefined;
        readonly port: number;
      };
}

/** The message names every setting at fault, with its mend. */
export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`Triagem cannot start with these settings:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

const MIN_SECRET_LENGTH = 16;

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
  if (url !== undefined && !isPostgresUrl(url)) {
    faults.push('DATABASE_URL is no connection string: write postgres://user:password@host:5432/database');
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

  const config: Config = {
    port: port('PORT', 3000),
    host: text('HOST') ?? '127.0.0.1',
    eventId,
    title: titleOf(text('EVENT_TITLE')),
    demo: false,
    dashboardEmail: email ?? 'painel@triagem.local',
    dashboardKey: secret('DASHBOARD_KEY', url !== undefined),
    sessionSecret: secret('SESSION_SECRET', url !== undefined),
    trustProxy: readTrustProxy(text('TRUST_PROXY')),
    database: url
      ? { kind: 'external', url }
      : {
          kind: 'embedded',
          dataDir: text('DATA_DIR'),
          subfolder: undefined,
          port: port('EMBEDDED_DATABASE_PORT', 54_329),
        },
  };
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** "Triagem · " before the event's title, unless it begins so. */
export function titleOf(eventTitle: string | undefined): string {
  if (eventTitle === undefined || eventTitle === 'Triagem') return 'Triagem';
  return eventTitle.startsWith('Triagem · ') ? eventTitle : `Triagem · ${eventTitle}`;
}

function readTrustProxy(value: string | undefined): boolean | string {
  if (value === undefined || value === 'false') return false;
  return value === 'true' ? true : value;
}

function isPostgresUrl(value: string): boolean {
  return /^postgres(ql)?:$/.test(URL.canParse(value) ? new URL(value).protocol : '');
}
