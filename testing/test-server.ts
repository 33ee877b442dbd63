import { join } from 'node:path';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { readConfig } from '../server/config.ts';
import { freePort } from '../server/database/embedded/free-port.ts';
import { startTriagem, type TestOverrides } from '../server/main.ts';
import { closeOnce } from './close-once.ts';
import { PROJECT_ROOT } from './project-root.ts';
import { launchServer, SERVER_SETTINGS, type ServerOptions, type ServerProcess } from './server.ts';

/** What tests may change of a server in their own process, beside its settings. */
export type ServerOverrides = TestOverrides;

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
  const log = pino(
    { base: null },
    { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const webRoot = join(PROJECT_ROOT, 'build/web');
  const triagem = await startTriagem(config, log, { webRoot, ...overrides });
  return { ...triagem, logged, stop: closeOnce(() => triagem.stop()) };
}

/** In a process of its own, which does not outlive the test. Resolves once it answers. */
export async function startServerProcess(
  observerUrl: string,
  options: ServerOptions = {},
): Promise<ServerProcess> {
  const server = await launchServer(observerUrl, options);
  onTestFinished(() => void server.child.kill('SIGKILL'));
  await server.serves('/healthz');
  return server;
}
