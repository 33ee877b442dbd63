import { join } from 'node:path';
import { pino } from 'pino';
import { expect } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { freePort } from './free-port.ts';
import { startAllInOne } from '../../server/roles/all-in-one.ts';
import type { Overrides } from '../../server/roles/triagem.ts';
import { closeOnce, onlyOnce } from '../close-once.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { launchServer, SERVER_SETTINGS, type ServerOptions, type ServerProcess } from './server.ts';
import { until } from '../until.ts';

/** What tests may change of a server in their own process, beside its settings. */
export type ServerOverrides = Overrides;

/** A real server on a port of its own, with everything it logged. */
export interface TestServer {
  readonly url: string;
  readonly metricsUrl?: string | undefined;
  readonly logged: Record<string, unknown>[];
  /** Its process, where that is another than the test's. */
  readonly pid?: number;
  stop(): Promise<void>;
}

/** In this process. `env`: settings beside those of every test's server. */
export async function startTestServer(
  ...options: Parameters<typeof startUnclosedServer>
): Promise<TestServer> {
  const server = await startUnclosedServer(...options);
  return { ...server, stop: closeOnce(() => server.stop()) };
}

/** Does what `startTestServer` does, but the caller stops it. */
export async function startUnclosedServer(
  database: { readonly observerUrl: string },
  env: Record<string, string> = {},
  overrides: ServerOverrides = {},
): Promise<TestServer> {
  const config = readConfig({
    ...SERVER_SETTINGS,
    DATABASE_URL: database.observerUrl,
    PORT: String(await freePort()),
    ...env,
  });
  const logged: Record<string, unknown>[] = [];
  const write = (line: string): void => void logged.push(JSON.parse(line) as Record<string, unknown>);
  const webRoot = join(PROJECT_ROOT, 'build/web');
  const triagem = await startAllInOne(config, pino({ base: null }, { write }), { webRoot, ...overrides });
  return { ...triagem, logged, stop: onlyOnce(() => triagem.stop()) };
}

/** In a process of its own, which must end in order when the test does. Resolves once it answers. */
export async function startServerProcess(
  observerUrl: string,
  options: ServerOptions = {},
): Promise<ServerProcess> {
  const server = await launchServer(observerUrl, options);
  closeOnce(() => server.stop());
  await server.serves('/healthz');
  return server;
}

/** What /readyz answers now. */
export async function readiness({
  url,
}: {
  readonly url: string;
}): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/readyz`);
  return { status: response.status, text: await response.text() };
}

/** Waits until it observes. */
export function untilReady(server: { readonly url: string }, limitMs?: number): Promise<void> {
  return until(async () => expect((await readiness(server)).status).toBe(200), limitMs);
}

/** All reasons that it has logged for not being live. */
export function reasonsOf({ logged }: Pick<TestServer, 'logged'>): string {
  return logged.map(({ reason }) => reason).join('\n');
}
