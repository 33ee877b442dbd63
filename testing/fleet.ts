import { expect } from 'vitest';
import { closeOnce } from './close-once.ts';
import type { Nats } from './nats-server.ts';
import { launchRole, type RoleOptions, type ServerProcess } from './server.ts';
import { until } from './until.ts';

/** Starts a counter in a process of its own, which must end in order when the test does. Resolves once it answers. */
export async function startCounter(
  nats: Pick<Nats, 'url'>,
  observerUrl: string,
  options: RoleOptions = {},
): Promise<ServerProcess> {
  const env = { DATABASE_URL: observerUrl, NATS_URL: nats.url, ...options.env };
  return started(await launchRole('counter', { ...options, env }));
}

/** As `startCounter`, an edge. */
export async function startEdge(nats: Pick<Nats, 'url'>, options: RoleOptions = {}): Promise<ServerProcess> {
  return started(await launchRole('edge', { ...options, env: { NATS_URL: nats.url, ...options.env } }));
}

async function started(process: ServerProcess): Promise<ServerProcess> {
  closeOnce(() => process.stop());
  await process.serves('/healthz');
  return process;
}

/** What `/readyz` of a process tells, as data. */
export async function readyz({ url }: { readonly url: string }): Promise<Readiness> {
  const response = await fetch(`${url}/readyz`);
  return { code: response.status, ...((await response.json()) as Omit<Readiness, 'code'>) };
}

export interface Readiness {
  readonly code: number;
  readonly status: string;
  readonly waitingFor?: string;
  readonly follows?: {
    readonly counter?: string;
    readonly position?: string;
    readonly ageMs: number;
    readonly counters: readonly string[];
  };
}

/** Waits until an edge follows these counters, live. */
export function untilFollowing(edge: ServerProcess, ...counters: readonly string[]): Promise<void> {
  return until(async () => {
    const { code, follows } = await readyz(edge);
    expect([code, follows?.counters]).toEqual([200, counters]);
  });
}
