import { hostname, networkInterfaces } from 'node:os';
import { hostOf, isLoopback, type WebhookTarget } from './webhook-target.ts';

export interface WebhookSettings {
  readonly url: string | undefined;
  readonly secret: string | undefined;
  readonly hasDesk: boolean;
}

/** An address on which this server listens. */
export interface Listener {
  /** The name of the setting of its port. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

const PREFIX = 'whsec_';
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;
const HOW_TO_MAKE = 'echo "whsec_$(openssl rand -base64 32)" makes one';

/** Returns the receiver, if one is set, and adds faults to `faults`. The URL may hold a secret, and is never repeated. */
export function readWebhookSettings(
  { url, secret, hasDesk }: WebhookSettings,
  faults: string[],
): WebhookTarget | undefined {
  if (url === undefined) return undefined;
  const urlFault = faultOfUrl(url);
  if (urlFault !== undefined) faults.push(`ALARM_WEBHOOK_URL ${urlFault}`);
  if (!hasDesk) {
    faults.push('ALARM_WEBHOOK_URL is set, and DESK_KEY is not: alarms are those of the flow desk, set both');
  }
  const key = secret === undefined ? undefined : readWebhookSecret(secret);
  if (secret === undefined) {
    faults.push(`ALARM_WEBHOOK_SECRET is missing: with ALARM_WEBHOOK_URL, set one (${HOW_TO_MAKE})`);
  } else if (!key) {
    faults.push(`ALARM_WEBHOOK_SECRET is no "whsec_" with 24 to 64 bytes in base64: ${HOW_TO_MAKE}`);
  }
  return key && { url, key };
}

/** Returns the bytes of `whsec_` and 24 to 64 bytes in base64; `undefined` for anything else. */
export function readWebhookSecret(secret: string): Buffer | undefined {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  const key = Buffer.from(text, 'base64');
  const isWhole = key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
  return isWhole && key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES ? key : undefined;
}

/** Returns a fault if alarms would be posted to this server itself, as far as that can be seen. */
export function faultOfOwnAddress(
  { url }: WebhookTarget,
  listeners: readonly Listener[],
): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  const port = Number(parsed.port || (parsed.protocol === 'https:' ? 443 : 80));
  const own = listeners.find((listener) => listener.port === port && isReachedAt(listener, parsed));
  return own && `ALARM_WEBHOOK_URL is this server's own ${own.name}: give the address of a receiver`;
}

function isReachedAt({ host }: Listener, url: URL): boolean {
  const asked = hostOf(url);
  // A listener on all addresses includes loopback.
  if (isLoopback(asked)) return isLoopback(host);
  if (host !== '0.0.0.0' && host !== '::') return asked === host;
  const addresses = Object.values(networkInterfaces()).flatMap((own = []) =>
    own.map(({ address }) => address),
  );
  return [hostname().toLowerCase(), ...addresses].includes(asked);
}

function faultOfUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    return 'is no URL of a receiver: give one that begins with https://';
  }
  return url.username || url.password
    ? 'holds a user or a password, which are not sent: leave them out'
    : undefined;
}
