import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { errorMessage } from '../../database/setup-error.ts';
import type { NatsTarget } from '../../fleet/relay/nats-target.ts';
import { isNodeName } from '../../fleet/relay/subjects.ts';
import type { SettingReader } from '../setting-reader.ts';
import { hostOf, isLoopback } from '../../desk/webhook/webhook-target.ts';

export interface RelayConfig {
  /** Names the fleet: several may share a NATS. */
  readonly deployment: string;
  readonly nodeName: string;
  readonly nats: NatsTarget;
}

const DEFAULT_PORT = 4222;
const MAX_NAME_LENGTH = 40;
const FORM = 'write nats://host:4222 or tls://host:4222, several with commas between them';
const NAME_FORM = 'give letters, digits, "-" and "_", at most 40';

export function readRelaySettings(settings: SettingReader): RelayConfig {
  const { faults } = settings;
  const nats = readNats(settings);
  const deployment = settings.text('DEPLOYMENT') ?? 'main';
  if (!isNodeName(deployment)) faults.push(`DEPLOYMENT is "${deployment}": ${NAME_FORM}`);
  const user = settings.text('NATS_USER');
  const named = settings.text('NODE_NAME');
  const nodeName = named ?? user ?? nameOfHost();
  if (!isNodeName(nodeName)) {
    faults.push(
      named === undefined
        ? `NATS_USER is "${nodeName}", which cannot name this node: set NODE_NAME to the name that its rights are for`
        : `NODE_NAME is "${nodeName}": ${NAME_FORM}`,
    );
  }
  return { deployment, nodeName, nats };
}

/** Warns of NATS servers without TLS or password. */
export function warningsOf({ servers, isTls, account }: NatsTarget): string[] {
  const far = servers.filter(({ host }) => !isLoopback(host)).map(({ host, port }) => `${host}:${port}`);
  if (far.length === 0) return [];
  const where = far.join(', ');
  const warnings: string[] = [];
  if (!isTls) {
    warnings.push(
      `NATS at ${where} is reached WITHOUT TLS: anybody on the way can read and CHANGE the numbers, and read the ` +
        'password; write tls:// in NATS_URL (docs/fleet.md)',
    );
  }
  if (!account) {
    warnings.push(
      `NATS at ${where} is used WITHOUT A PASSWORD: anybody who reaches it can publish numbers of their own; set NATS_USER ` +
        'and NATS_PASSWORD, or NATS_CREDS (docs/fleet.md)',
    );
  }
  return warnings;
}

function readNats(settings: SettingReader): NatsTarget {
  const { faults } = settings;
  const url = settings.needed('NATS_URL', `counters and edges meet there: ${FORM}`);
  const servers: { host: string; port: number }[] = [];
  const schemes = new Set<string>();
  for (const text of url === '' ? [] : url.split(',').map((part) => part.trim())) {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    const scheme = ['nats', 'tls'].find((one) => parsed?.protocol === `${one}:`);
    const isBare = parsed && ['', '/'].includes(parsed.pathname) && !parsed.search && !parsed.hash;
    if (parsed?.username || parsed?.password) {
      faults.push('NATS_URL holds a user or a password: set NATS_USER and NATS_PASSWORD instead');
    } else if (!scheme || !isBare || parsed.hostname === '') {
      faults.push(`NATS_URL has "${text}", which is no address of NATS: ${FORM}`);
    } else {
      const host = hostOf(parsed);

      if (scheme === 'tls' && isIP(host)) {
        faults.push(
          `NATS_URL has "${text}": over TLS, give the name that the certificate is for, no address`,
        );
      }
      schemes.add(scheme);
      servers.push({ host, port: Number(parsed.port || DEFAULT_PORT) });
    }
  }
  if (schemes.size > 1) faults.push('NATS_URL mixes nats:// and tls://: write the same for all');
  return {
    servers,
    isTls: schemes.has('tls'),
    caFile: readCaFile(settings, schemes),
    account: readAccount(settings),
  };
}

function readCaFile(settings: SettingReader, schemes: ReadonlySet<string>): string | undefined {
  const path = settings.text('NATS_CA_FILE');
  if (path === undefined) return undefined;
  if (!schemes.has('tls'))
    settings.faults.push('NATS_CA_FILE is set, and NATS_URL has no tls://: write tls:// there');
  readSettingFile(settings, 'NATS_CA_FILE', path);
  return path;
}

function readAccount(settings: SettingReader): NatsTarget['account'] {
  const { faults } = settings;
  const [user, password] = [settings.text('NATS_USER'), settings.text('NATS_PASSWORD')];
  const path = settings.text('NATS_CREDS');
  if (path !== undefined && (user !== undefined || password !== undefined)) {
    faults.push('NATS_CREDS is set beside NATS_USER or NATS_PASSWORD: set one or the other');
  }
  if ((user === undefined) !== (password === undefined)) {
    const missing = user === undefined ? 'NATS_USER' : 'NATS_PASSWORD';
    faults.push(`${missing} is missing: NATS_USER and NATS_PASSWORD go together`);
  }
  if (path !== undefined) {
    const text = readSettingFile(settings, 'NATS_CREDS', path);
    if (text !== undefined && !text.includes('-----BEGIN NATS USER JWT-----')) {
      faults.push(`NATS_CREDS is "${path}", which is no file of credentials (nsc generate creds makes one)`);
    }
    return text === undefined ? undefined : { kind: 'credentials', text };
  }
  return user === undefined || password === undefined ? undefined : { kind: 'password', user, password };
}

function readSettingFile(settings: SettingReader, name: string, path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    settings.faults.push(`${name} is "${path}", which cannot be read: ${errorMessage(error)}`);
    return undefined;
  }
}

/** The suffix distinguishes processes of one machine. */
function nameOfHost(): string {
  const suffix = `-${randomBytes(2).toString('hex')}`;
  const host = hostname().replaceAll(/[^A-Za-z0-9_-]/g, '-');
  return host.slice(0, MAX_NAME_LENGTH - suffix.length) + suffix;
}
