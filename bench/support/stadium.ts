import { signIn } from '../../testing/page-client.ts';
import type { Scope } from '../benchmark.ts';
import { callerOf, type ChildProgram } from './child-program.ts';
import { clockMs } from './clock.ts';
import { openSql, startDatabase } from './database.ts';
import type { TimedTotal } from './delays.ts';
import { startLiveServer } from './server.ts';
import { admit, sellTickets } from './tickets.ts';

/** A half-full stadium in a PostgreSQL of its own, and a gate that lets one holder in at a time. */
export interface Stadium {
  /** How many have entered. */
  readonly total: number;
  /** One commit: how many have entered with it, and when it was acknowledged. */
  enter(): Promise<TimedTotal>;
  /** The board's server, a new process each time, its counts live. */
  startServer(scope: Scope, env?: Record<string, string>): Promise<LiveServer>;
}

interface LiveServer extends ChildProgram {
  readonly url: string;
  /** A session, as a browser would send it. */
  readonly cookie: string;
}

const PROBE = `--import=${new URL('stall-probe.js', import.meta.url).href}`;
const TICKETS = 43_680;
const ENTERED_BEFORE = TICKETS / 2;

export async function openStadium(scope: Scope): Promise<Stadium> {
  const database = await startDatabase(scope);
  await sellTickets(database.admin, { to: TICKETS, entered: 'half' });
  const gate = openSql(scope, database.gatesUrl);
  let admitted = 0;
  return {
    get total() {
      return ENTERED_BEFORE + admitted;
    },
    async enter() {
      // Those with odd numbers are outside.
      await admit(gate, 2 * admitted + 1);
      const atMs = clockMs();
      admitted += 1;
      return { total: ENTERED_BEFORE + admitted, atMs };
    },
    async startServer(own, env = {}) {
      const options = { nodeOptions: [PROBE], ipc: true, env };
      const server = await startLiveServer(own, database.observerUrl, options);
      const call = callerOf(server.child, own.signal, () => `the server ended by itself: ${server.stderr()}`);
      return { url: server.url, usage: server.usage, call, cookie: await signIn(server.url) };
    },
  };
}
