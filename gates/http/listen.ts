import { once } from 'node:events';
import * as files from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { describePortOwner } from '../../domain/port-owner.ts';
import { readArguments, type Command, type Environment } from '../cli/command.ts';
import { errorCode, errorMessage, GatesError, printable } from '../cli/errors.ts';
import { sayBoards } from '../events/event.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { findTarget } from '../cli/target.ts';
import { Activity } from './activity.ts';
import { ClockWatch } from './clock-watch.ts';
import { CommitQueue } from './commit-queue.ts';
import { type Durations, MAX_BODY_BYTES } from './limits.ts';
import { type HttpSettings, readHttpSettings } from './settings.ts';
import { startWriters } from './writers.ts';

/** Who is still being answered after so long is cut off. */
const CLOSE_LIMIT_MS = 3_500;
const STOP_LIMIT_MS = 4_500;

/** Takes tickets over HTTP, for programs that cannot write to the database themselves. */
export const listen: Command = {
  help: `Usage: npm run -s gates -- listen

Takes tickets over HTTP until Ctrl-C. Each request names its event:

  POST /events/ID/tickets    {"id": "A-0001", "entrou": true, "at": "2025-03-26T20:15:00-03:00"}

or an array of these, or one in each line (application/x-ndjson), up to ${MAX_BODY_BYTES / 2 ** 20} MB: one commit, answered after it
with what became of each. isValidTicket, setor, entrou, gate and at may each be left out. A message whose "at" is older
than the last one applied to that ticket changes nothing. One of an unknown id is kept until its ticket comes ("kept"
lists these); with "?create=true" and a setor it becomes a ticket. A bad one is refused, and harms no other.
All else: docs/gates.md, and GET /openapi.json. GET /healthz, /readyz, /metrics.

  GATES_HTTP_KEY   what clients send as "Authorization: Bearer KEY"; make one with "openssl rand -hex 24"
  GATES_HTTP_PORT  default: 3001
  GATES_HTTP_HOST  default: 127.0.0.1; TLS, and whatever faces the internet, is a proxy's

Each minute it says what was done, by event. Ctrl-C answers what is under way, and ends with exit code 0.
`,
  async run(args, env) {
    readArguments(args, {});
    const settings = readHttpSettings(env);
    const stop = stopSignal();
    const listening = await startListening(settings, env);
    process.stdout.write(`Listening on ${listening.url}\n`);
    if (!stop.aborted) await once(stop, 'abort');
    // Whatever it still waits for is nothing that was promised.
    setTimeout(() => process.exit(0), STOP_LIMIT_MS).unref();
    say('Stopping...');
    await listening.stop();
    return 0;
  },
};

export interface Listening {
  readonly url: string;
  /** Takes nothing more, answers what is under way, and ends. */
  stop(): Promise<void>;
}

/** `durations`: for tests. @throws GatesError where it gets no database, or not its port. */
export async function startListening(
  settings: HttpSettings,
  env: Environment,
  durations?: Durations,
): Promise<Listening> {
  // All other commands start without reading an HTTP server.
  const { buildApp } = await import('./app.ts');
  const target = await findTarget(env);
  sayBoards(target);
  const queue = new CommitQueue();
  const stopping = new AbortController();
  const activity = new Activity(say);
  const clocks = new ClockWatch(say);
  const writers = await startWriters({ env, target, queue, activity, clocks, stop: stopping.signal, say });
  const { keyDigest } = settings;
  const app = await buildApp({ keyDigest, queue, activity, clocks, durations, say });
  const end = async (): Promise<void> => {
    const cut = setTimeout(() => app.server.closeAllConnections(), CLOSE_LIMIT_MS);
    await app.close();
    clearTimeout(cut);
    stopping.abort();
    await writers.ended;
    activity.stop();
  };
  try {
    return { url: await open(app, settings), stop: end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function open(app: FastifyInstance, { host, port }: HttpSettings): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    switch (errorCode(error)) {
      case 'EADDRINUSE':
        throw new GatesError(
          `GATES_HTTP_PORT ${port} is taken by ${await describePortOwner(port, files, process.getuid?.())}: stop it, or set another.`,
        );
      case 'EACCES':
        throw new GatesError(`GATES_HTTP_PORT ${port} is not allowed to this account: set one from 1024 on.`);
      case 'EADDRNOTAVAIL':
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        throw new GatesError(
          `GATES_HTTP_HOST ${host} is no address of this machine: set one that is, or leave it out.`,
        );
      default:
        throw new GatesError(`It cannot listen on ${host}, port ${port}: ${errorMessage(error)}.`);
    }
  }
}

function say(line: string): void {
  process.stderr.write(`${new Date().toISOString()} ${printable(line)}\n`);
}
