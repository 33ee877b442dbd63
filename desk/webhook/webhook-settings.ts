import { hostname, networkInterfaces } from 'node:os';
import { hostOf, isLoopback, type WebhookTarget } from './webhook-target.ts';

/** As they are set; `undefined`: not. */
export interface WebhookSettings {
  readonly url: string | undefined;
  readonly secret: string | undefined;
  readonly hasDesk: boolean;
}

/** Where this server listens itself. */
export interface Listener {
  /** Of the setting of its port. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

const PREFIX = 'whsec_';
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;
const HOW_TO_MAKE = 'echo "whsec_$(openssl rand -base64 32)" makes one';

/** `undefined`: alarms are sent nowhere. What is wrong is added to `faults`; the URL may hold a secret, and is not repeated. */
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

/** `whsec_` and 24 to 64 bytes in base64 → these bytes; `undefined`: it is no such secret. */
export function readWebhookSecret(secret: string): Buffer | undefined {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  const key = Buffer.from(text, 'base64');
  const isWhole = key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
  return isWhole && key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES ? key : undefined;
}

/** `undefined`: nothing that is known of this machine says that alarms would be posted to this server itself. */
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

/** Whether whoever posts there from this machine gets to the listener. */
function isReachedAt({ host }: Listener, url: URL): boolean {
  const asked = hostOf(url);
  // Everywhere is loopback, too.
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
