import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { readConfig } from '../server/config.ts';
import { freePort } from '../server/database/embedded/free-port.ts';
import { startTriagem, type TestOverrides, type Triagem } from '../server/main.ts';
import type { TestDatabase } from './database.ts';

export const KEY = 'uma-chave-de-teste-com-32-letras';
export const EMAIL = 'painel@exemplo.test';

/** The settings of every test's server, beside DATABASE_URL and PORT. */
export const SERVER_SETTINGS = {
  DASHBOARD_EMAIL: EMAIL,
  DASHBOARD_KEY: KEY,
  SESSION_SECRET: 'um-segredo-de-teste-com-32-letras',
  EVENT_TITLE: 'Palestra × Atlético',
};

/** A real server on a port of its own, with everything it logged. */
export interface TestServer extends Triagem {
  readonly logged: Record<string, unknown>[];
  /** Its process, where that is another than the test's. */
  readonly pid: number | undefined;
}

/** `env`: settings beside DATABASE_URL and the account, as in the environment. */
export async function startTestServer(
  database: Pick<TestDatabase, 'observerUrl'>,
  env: Record<string, string> = {},
  around: TestOverrides = {},
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
  const webRoot = fileURLToPath(new URL('../build/web/', import.meta.url));
  const triagem = await startTriagem(config, log, { webRoot, ...around });
  return { ...triagem, logged, pid: undefined };
}
