import { lookup } from 'node:dns/promises';
import * as files from 'node:fs/promises';
import { createServer } from 'node:net';
import { describePortOwner } from '../domain/port-owner.ts';
import { ConfigError } from './config-error.ts';
import { errorCode } from '../database/setup-error.ts';

/** Where to listen, and the prefix of the two settings for it. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly prefix: '' | 'METRICS_';
}

/** Tries to listen on all at once, so that a start fails before it does anything. @throws ConfigError, which names all */
export async function assertCanListen(places: readonly ListenAddress[]): Promise<void> {
  const probes = await Promise.allSettled(places.map((place) => explainListenError(probe(place), place)));
  for (const outcome of probes) if (outcome.status === 'fulfilled') await outcome.value();
  const faults = probes.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return [];
    if (outcome.reason instanceof ConfigError) return outcome.reason.faults;
    throw outcome.reason;
  });
  if (faults.length > 0) throw new ConfigError(faults);
}

/** Resolves with a function that closes the server. */
async function probe({ host, port }: ListenAddress): Promise<() => Promise<void>> {
  const { address } = await lookup(host);
  // A client that connects just now must not keep it open.
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: address, port, exclusive: true }, resolve);
  });
  return () => new Promise((resolve) => server.close(() => resolve()));
}

/** @throws ConfigError: `listening` fails because of a setting, which it names */
export async function explainListenError<T>(
  listening: Promise<T>,
  { host, port, prefix }: ListenAddress,
): Promise<T> {
  try {
    return await listening;
  } catch (error) {
    switch (errorCode(error)) {
      case 'EADDRINUSE':
        throw new ConfigError([
          `${prefix}PORT ${port} is taken by ${await describePortOwner(port, files, process.getuid?.())}: stop it, or set another port`,
        ]);
      case 'EACCES':
        throw new ConfigError([`${prefix}PORT ${port} needs privileges: set one above 1023`]);
      case 'EADDRNOTAVAIL':
      case 'EAFNOSUPPORT':
      case 'EINVAL':
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        throw new ConfigError([
          `${prefix}HOST ${host} is no address of this machine: set 127.0.0.1, 0.0.0.0 for the whole network, or one that it has`,
        ]);
      default:
        throw error;
    }
  }
}

/** Returns the URL for a browser on this machine. */
export function addressOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
