import type { Venue } from '../../domain/venue.ts';
import { signIn } from '../../testing/browser/page-client.ts';
import type { Scope } from '../benchmark.ts';
import type { ChildProgram } from './child-program.ts';
import { clockMs } from './clock.ts';
import { startDatabase } from './database.ts';
import type { TimedTotal } from './delays.ts';
import { connectGates } from './gates.ts';
import { callerOf } from '../../testing/server/rpc.ts';
import { startLiveServer } from './server.ts';
import { admit, sellTickets } from './tickets.ts';

/** A half-full stadium in a PostgreSQL of its own, and gates that let one holder in by each commit. */
export interface Stadium {
  /** Of the role that adds to the record. */
  readonly recordUrl: string;
  /** One commit: how many have entered with it, and when it was acknowledged. */
  enter(): Promise<TimedTotal>;
  /** The board's server, a new process each time, its counts live. */
  startServer(scope: Scope, env?: Record<string, string>, start?: StartLive): Promise<LiveServer>;
}

/** Starts what serves this database, and resolves once its counts are live. */
export type StartLive = typeof startLiveServer;

interface LiveServer extends ChildProgram {
  readonly url: string;
  /** A session, as a browser would send it. */
  readonly cookie: string;
}

const PROBE = `--import=${new URL('stall-probe.js', import.meta.url).href}`;
/** As many as the simulated event sells. */
const TICKETS = 43_680;

export async function openStadium(
  scope: Scope,
  {
    tickets = TICKETS,
    gates = 1,
    venue,
  }: { readonly tickets?: number; readonly gates?: number; readonly venue?: Venue } = {},
): Promise<Stadium> {
  const database = await startDatabase(scope);
  await sellTickets(database.admin, { to: tickets, entered: 'half', venue });
  const gate = connectGates(scope, database.gatesUrl, gates);
  let came = 0;
  let admitted = 0;
  return {
    recordUrl: database.recordUrl,
    async enter() {
      came += 1;
      // Those with odd numbers are outside.
      await admit(gate, 2 * came - 1);
      admitted += 1;
      return { total: tickets / 2 + admitted, atMs: clockMs() };
    },
    async startServer(own, env = {}, start = startLiveServer) {
      const options = { nodeOptions: [PROBE], ipc: true, env };
      const server = await start(own, database.observerUrl, options);
      const { child, url, usage } = server;
      const call = callerOf(child, own.signal, () => server.stderr());
      return { url, usage, call, cookie: await signIn(url) };
    },
  };
}
