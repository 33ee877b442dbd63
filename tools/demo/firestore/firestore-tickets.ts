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

/** For Firebase's tools, projects whose names begin with "demo-" exist on no server. */
const PROJECT = 'demo-triagem';
const POLL_MS = 50;
const EMAIL = 'painel@triagem.local';
const ROOT = new URL('../../../../', import.meta.url);
const SPECTATORS = fileURLToPath(new URL('spectators.js', import.meta.url));
/** The demo replaces these settings of the environment. */
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
  readonly tickets: number;
}

interface Services {
  readonly emulator: Emulator;
  readonly identity: IdentityService;
  readonly database: EmbeddedDatabase;
}

/**
 * Keeps the tickets in Google's Firestore emulator, where Google's server library writes them. The board reads them with an
 * account, under the rules of deploy/firestore.rules; its record is in an embedded PostgreSQL.
 */
export async function openFirestoreTickets(options: FirestoreTicketsOptions): Promise<DemoTickets> {
  const { signal, print } = options;
  const password = randomBytes(12).toString('hex');
  // Wrong settings must fail before anything is started.
  const first = configOf({ emulatorHost: '127.0.0.1:1', identityHost: '127.0.0.1:1', password });
  const { eventId, venue = DEFAULT_VENUE } = first;
  const incidents = options.incidentsAt(venue);
  const unused = OWN_SETTINGS.filter((name) => process.env[name]?.trim());
  if (unused.length > 0) print(`Not used, as the demo has its own: ${unused.join(', ')}.`);
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
      (output) => !signal.aborted && print(`The Firestore emulator has ended:\n${output}`),
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
    await prepareDemo(database, { eventId, venue, signal, print });
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
        // While it sends all tickets the emulator answers nobody, so the board gets them before the gates open.
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
  { signal, print }: FirestoreTicketsOptions,
): Promise<Services> {
  if (!embedded) throw new Error('unreachable: a demo has a database');
  print("Starting Google's Firestore emulator, an identity service, and PostgreSQL for the record...");
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
  // If one of them fails, those that are still starting are stopped as well.
  await Promise.allSettled(Object.values(starting));
  return {
    emulator: await starting.emulator,
    identity: await starting.identity,
    database: await starting.database,
  };
}

/** @throws OperatorError with the command that installs the emulator */
async function findEmulator(): Promise<readonly string[]> {
  // The script is plain JavaScript, since others use it before there is a build.
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
  // Google's library takes the emulator from the environment only.
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
  while (board.isStarting?.() === true && !signal.aborted) await sleep(POLL_MS);
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
