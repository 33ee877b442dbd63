import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { DEFAULT_VENUE } from '../../../domain/venue.ts';
import { seatsIn } from '../../../gates/simulator/simulated-tickets.ts';
import { FIRESTORE_SETTINGS } from '../../../server/firestore-settings.ts';
import type { Config } from '../../../server/config.ts';
import {
  type EmbeddedDatabase,
  startEmbeddedDatabase,
} from '../../../database/embedded/embedded-database.ts';
import { OperatorError } from '../../../domain/operator-error.ts';
import { assertCanListen } from '../../../server/listening.ts';
import { placesOf } from '../../../server/roles/serving.ts';
import { Stops } from '../../../server/roles/stops.ts';
import type { Triagem } from '../../../server/roles/triagem.ts';
import { prepareDemo } from '../demo-data.ts';
import { DEMO_TITLE, type DemoTickets, type DemoTicketsOptions } from '../demo-tickets.ts';
import { demoConfig } from '../embedded-tickets.ts';
import { type Emulator, startEmulator } from './emulator.ts';
import { admitAccount } from './rules.ts';
import { API_KEY, type IdentityService, startIdentityService } from './identity.ts';
import type { SpectatorsOptions, TicketsLoaded, ToSpectators } from './spectators.ts';

/** Firebase's tools take a project with this beginning for one that exists nowhere else. */
const PROJECT = 'demo-triagem';
const LOOK_EVERY_MS = 50;
const EMAIL = 'painel@triagem.local';
/** From build/tools/demo/firestore. */
const ROOT = new URL('../../../../', import.meta.url);
const SPECTATORS = fileURLToPath(new URL('spectators.js', import.meta.url));
/** Settings of the environment that the demonstration has values of its own for. */
const OWN_SETTINGS = [
  'DATABASE_URL',
  'RECORD_DATABASE_URL',
  'SOURCE_DATABASE_URL',
  'UNWATCHED_SUBSCRIPTIONS',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'FIRESTORE_EMULATOR_HOST',
  'FIREBASE_AUTH_EMULATOR_HOST',
  ...FIRESTORE_SETTINGS,
];

interface FirestoreTicketsOptions extends DemoTicketsOptions {
  /** How many there are at most. */
  readonly tickets: number;
}

interface Services {
  readonly emulator: Emulator;
  readonly identity: IdentityService;
  readonly database: EmbeddedDatabase;
}

/**
 * The tickets are in Google's Firestore emulator, where Google's own server library writes them. The board reads them with an
 * account, under the rules of deploy/firestore.rules; its record is in an embedded PostgreSQL.
 */
export async function openFirestoreTickets(options: FirestoreTicketsOptions): Promise<DemoTickets> {
  const { signal, say } = options;
  const password = randomBytes(12).toString('hex');
  // Settings at fault end it before anything is started.
  const first = configOf({ emulatorHost: '127.0.0.1:1', identityHost: '127.0.0.1:1', password });
  const { eventId, venue = DEFAULT_VENUE } = first;
  const incidents = options.incidentsAt(venue);
  const unused = OWN_SETTINGS.filter((name) => process.env[name]?.trim());
  if (unused.length > 0) say(`Not used, as the demo has its own: ${unused.join(', ')}.`);
  const command = await findEmulator();
  await assertCanListen(placesOf(first).all);
  const stops = new Stops();
  return stops.during(async () => {
    const services = await startServices(first, command, stops, options);
    const { emulator, identity, database } = services;
    const uid = await identity.createAccount(EMAIL, password);
    const rules = readFileSync(new URL('deploy/firestore.rules', ROOT), 'utf8');
    await emulator.setRules(PROJECT, admitAccount(rules, uid));
    emulator.ended.then(
      (output) => !signal.aborted && say(`The Firestore emulator has ended:\n${output}`),
      () => {},
    );
    const spectators = startSpectators(
      {
        project: PROJECT,
        eventId,
        title: process.env['EVENT_TITLE']?.trim() || DEMO_TITLE,
        tickets: Math.min(options.tickets, seatsIn(venue)),
        venue,
        speed: Number(options.speed),
        incidents,
      },
      emulator.host,
    );
    stops.add(() => void spectators.kill('SIGKILL'));
    await untilLoaded(spectators, signal);
    await prepareDemo(database, { eventId, venue, signal, say });
    const config = configOf({ emulatorHost: emulator.host, identityHost: identity.host, password });
    return {
      config: {
        ...config,
        record: { kind: 'postgres', url: database.recordUrl },
        embedded: undefined,
        ownFolder: undefined,
        dashboardKey: config.dashboardKey ?? database.dashboardKey,
        sessionSecret: config.sessionSecret ?? database.sessionSecret,
      },
      overrides: {},
      description: describe(services, eventId),
      remedy: '',
      admit(board) {
        // The emulator answers nobody for long while it sends all tickets: the board has them first.
        void untilBegun(board, signal).then(() => send(spectators, { kind: 'open' }));
        return spectators;
      },
      async setGatesOpen(gatesOpenMs) {
        send(spectators, { kind: 'times', gatesOpenMs });
        await Promise.resolve();
      },
      stop: () => stops.stop(),
    };
  });
}

async function startServices(
  { eventId, title, venue = DEFAULT_VENUE, embedded }: Config,
  command: readonly string[],
  stops: Stops,
  { signal, say }: FirestoreTicketsOptions,
): Promise<Services> {
  if (!embedded) throw new Error('unreachable: a demo has a database');
  say("Starting Google's Firestore emulator, an identity service, and PostgreSQL for the record...");
  const log = pino({ level: 'warn', base: null }, process.stderr);
  const starting = {
    emulator: startEmulator(command, signal),
    identity: startIdentityService(PROJECT, signal),
    database: startEmbeddedDatabase({
      ...embedded,
      board: { eventId, title, venue },
      hasTickets: false,
      log: (line, level = 'info') => log[level](line),
      signal,
    }),
  };
  for (const each of Object.values(starting)) {
    each.then(
      (service) => stops.add(() => service.stop()),
      () => {},
    );
  }
  // What is still starting when another one fails is stopped, too.
  await Promise.allSettled(Object.values(starting));
  return {
    emulator: await starting.emulator,
    identity: await starting.identity,
    database: await starting.database,
  };
}

/** @throws OperatorError that names the one command that brings it */
async function findEmulator(): Promise<readonly string[]> {
  // Plain JavaScript: it serves the scripts that run before there is a build.
  const script = new URL('tools/firestore-emulator.mjs', ROOT).href;
  const { firestoreEmulatorCommand } = (await import(script)) as { firestoreEmulatorCommand: () => string[] };
  try {
    return firestoreEmulatorCommand();
  } catch (error) {
    throw new OperatorError(error instanceof Error ? error.message : String(error));
  }
}

interface BoardAccess {
  readonly emulatorHost: string;
  readonly identityHost: string;
  readonly password: string;
}

function configOf({ emulatorHost, identityHost, password }: BoardAccess): Config {
  const without = Object.fromEntries(OWN_SETTINGS.map((name) => [name, undefined]));
  return demoConfig({
    ...process.env,
    ...without,
    FIRESTORE_PROJECT: PROJECT,
    FIRESTORE_EMULATOR_HOST: emulatorHost,
    FIREBASE_AUTH_EMULATOR_HOST: identityHost,
    FIREBASE_API_KEY: API_KEY,
    FIREBASE_EMAIL: EMAIL,
    FIREBASE_PASSWORD: password,
  });
}

function startSpectators(options: SpectatorsOptions, emulatorHost: string): ChildProcess {
  // Google's library takes the emulator of the environment, whatever it is opened with.
  const env = { ...process.env, FIRESTORE_EMULATOR_HOST: emulatorHost };
  return fork(SPECTATORS, [JSON.stringify(options)], { env });
}

async function untilLoaded(spectators: ChildProcess, signal: AbortSignal): Promise<void> {
  const message = once(spectators, 'message', { signal }) as Promise<[TicketsLoaded]>;
  const ended = once(spectators, 'exit', { signal }).then(() => {
    throw new OperatorError('The tickets were not loaded.');
  });
  await Promise.race([message, ended]);
}

async function untilBegun(board: Triagem, signal: AbortSignal): Promise<void> {
  while (board.isStarting?.() === true && !signal.aborted) await sleep(LOOK_EVERY_MS);
}

function send(spectators: ChildProcess, message: ToSpectators): void {
  if (spectators.connected) spectators.send(message, () => {});
}

function describe({ emulator, identity }: Services, eventId: string): string {
  const service = identity.isStandIn
    ? "a stand-in of this demo (Google's Auth emulator comes with firebase-tools, which is not on PATH)"
    : "Google's Auth emulator";
  return `  Firestore:  ${emulator.host}, project ${PROJECT}, events/${eventId}/tickets
  Identity:   ${identity.host}, ${service}
`;
}
