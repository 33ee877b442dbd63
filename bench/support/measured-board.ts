import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { freePort } from '../../server/database/embedded/free-port.ts';
import { fillStadium } from '../../testing/tickets.ts';
import { openSql, startBenchDatabase } from './bench-database.ts';
import { type ChildProgram, startChildProgram } from './child-program.ts';
import { serverFlags } from './server-flags.ts';
import { createTurnstile, type Turnstile } from './turnstile.ts';

/** A stadium that is half full, in a PostgreSQL of its own, and the board's real server as often as wanted. */
export interface MeasuredBoard {
  readonly turnstile: Turnstile;
  /** A new process each time; resolves once its counts are live. Whoever starts it stops it. */
  startServer(env?: Readonly<Record<string, string>>): Promise<BoardServer>;
}

interface BoardServer {
  readonly program: ChildProgram;
  readonly url: string;
  /** Path of the live stream. */
  readonly livePath: string;
  /** Signs in. Returns the cookie as a browser would send it. */
  readonly signIn: () => Promise<string>;
}

/** Of 43,680: so many that counts have their usual width, and as many are left to enter. */
const ENTERED_BEFORE = 20_000;
const EMAIL = 'painel@triagem.local';
const KEY = randomBytes(24).toString('hex');
const START_LIMIT_MS = 20_000;

/** Runs `measure` on such a board, and removes all of it, whatever happens. */
export async function withMeasuredBoard<T>(
  signal: AbortSignal,
  measure: (board: MeasuredBoard) => Promise<T>,
): Promise<T> {
  const database = await startBenchDatabase(signal);
  try {
    const gates = openSql(database.gatesUrl, signal);
    try {
      await fillStadium(gates);
      const turnstile = await createTurnstile(gates, ENTERED_BEFORE);
      return await measure({
        turnstile,
        startServer: (env = {}) => startServer({ DATABASE_URL: database.observerUrl, ...env }, signal),
      });
    } finally {
      await gates.end({ timeout: 0 });
    }
  } finally {
    await database.stop();
  }
}

async function startServer(env: Readonly<Record<string, string>>, signal: AbortSignal): Promise<BoardServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = startChildProgram('../../server/start.js', {
    imports: ['./stall-probe.js'],
    flags: serverFlags(),
    signal,
    env: {
      PORT: String(port),
      DASHBOARD_EMAIL: EMAIL,
      DASHBOARD_KEY: KEY,
      SESSION_SECRET: randomBytes(24).toString('hex'),
      ...env,
    },
  });
  try {
    await untilReady(url, program, signal);
  } catch (error) {
    await program.stop();
    throw error;
  }
  return {
    program,
    url,
    livePath: `/api/events/${DEFAULT_EVENT_ID}/live`,
    async signIn() {
      const response = await fetch(`${url}/api/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: EMAIL, key: KEY }),
      });
      const cookie = response.headers.get('set-cookie')?.split(';')[0];
      if (!cookie) throw new Error(`the board let nobody sign in: ${response.status}`);
      return cookie;
    },
  };
}

async function untilReady(url: string, program: ChildProgram, signal: AbortSignal): Promise<void> {
  const untilMs = performance.now() + START_LIMIT_MS;
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/readyz`, { signal }).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    // Rejects, with what it wrote, if it is gone.
    await program.ask('longestStallMs');
    if (performance.now() > untilMs) throw new Error('the board has no live counts 20 s after its start');
    await sleep(20, undefined, { signal });
  }
}
