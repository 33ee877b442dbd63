import { once } from 'node:events';
import * as files from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { describePortOwner } from '../../domain/port-owner.ts';
import { readArguments, type Command, type Environment } from '../cli/command.ts';
import { errorCode, errorMessage, GatesError, printable } from '../cli/errors.ts';
import { reportBoards } from '../events/event.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { findTarget } from '../cli/target.ts';
import { Activity } from './activity.ts';
import { ClockWatch } from './clock-watch.ts';
import { CommitQueue } from './commit-queue.ts';
import { DURATIONS, type Durations, MAX_BODY_BYTES } from './limits.ts';
import { type HttpSettings, readHttpSettings } from './settings.ts';
import { unavailable } from './refusal.ts';
import { startWriters } from './writers.ts';

/** What the database has not written so long after the signal is answered: nobody knows whether it will. */
const GIVE_UP_MS = 2_500;
/** Connections that are still open so long after the signal are cut. */
const CLOSE_LIMIT_MS = 3_500;
const STOP_LIMIT_MS = 4_500;

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

It takes two webhooks as well, at /events/ID/hi-events and /events/ID/pretix (docs/gates.md, "Webhooks"):

  GATES_HI_EVENTS_SECRET  the webhook's secret in Hi.Events; several with commas
  GATES_PRETIX_URL        https://HOST/api/v1/organizers/ORGANIZER/events/EVENT/checkinlists/LIST; needs EVENT_ID
  GATES_PRETIX_TOKEN      an API token that may read orders

It logs who sends what is refused and why, and each minute what was done, by event. Ctrl-C answers what is under way, and ends with exit code 0.
`,
  async run(args, env) {
    readArguments(args, {});
    const settings = readHttpSettings(env);
    const stop = stopSignal();
    const listening = await startListening(settings, env);
    process.stdout.write(`Listening on ${listening.url}\n`);
    if (!stop.aborted) await once(stop, 'abort');
    // All promised answers have been sent by then.
    setTimeout(() => process.exit(0), STOP_LIMIT_MS).unref();
    log('Stopping...');
    await listening.stop();
    return 0;
  },
};

export interface Listening {
  readonly url: string;
  /** Refuses new requests, and resolves once the others are answered. */
  stop(): Promise<void>;
}

/** @throws GatesError without a database, or where the port cannot be opened. */
export async function startListening(
  settings: HttpSettings,
  env: Environment,
  durations: Durations = DURATIONS,
): Promise<Listening> {
  // Other commands start without loading an HTTP server.
  const { buildApp } = await import('./app.ts');
  const target = await findTarget(env);
  reportBoards(target);
  const queue = new CommitQueue();
  const stopping = new AbortController();
  const activity = new Activity(log);
  const clocks = new ClockWatch(log);
  const intake = { queue, activity, clocks };
  const { readingsMs } = durations;
  const giveUp = new AbortController();
  const signals = { stop: stopping.signal, giveUp: giveUp.signal };
  const writers = await startWriters({ ...intake, ...signals, env, target, readingsMs, log });
  const app = await buildApp({ ...settings, ...intake, durations, stop: stopping.signal, log });
  const end = async (): Promise<void> => {
    const cut = setTimeout(() => app.server.closeAllConnections(), CLOSE_LIMIT_MS);
    const givingUp = setTimeout(() => {
      queue.close(unavailable('"listen" stops. Nothing was changed.'));
      stopping.abort();
      giveUp.abort();
    }, GIVE_UP_MS);
    await app.close();
    clearTimeout(cut);
    clearTimeout(givingUp);
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
        throw new GatesError(`"listen" cannot open ${host}, port ${port}: ${errorMessage(error)}.`);
    }
  }
}

function log(line: string): void {
  process.stderr.write(`${new Date().toISOString()} ${printable(line)}\n`);
}
