import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { titleOf } from '../../domain/event-title.ts';
import { type Config, readConfig } from '../../server/config.ts';
import type { EmbeddedDatabase } from '../../database/embedded/embedded-database.ts';
import { FIRESTORE_SETTINGS } from '../../server/firestore-settings.ts';
import { prepareDemo } from './demo-data.ts';
import { DEMO_TITLE, type DemoTickets, type DemoTicketsOptions } from './demo-tickets.ts';
import { setMatchTimes } from './match-times.ts';

const GATES = fileURLToPath(new URL('../../gates/main.js', import.meta.url));

/** Keeps the tickets in an embedded PostgreSQL of the demo, where the gates tool lets the spectators in. */
export function openEmbeddedTickets({ speed, incidentsAt, signal, print }: DemoTicketsOptions): DemoTickets {
  const others = Object.fromEntries(['DATABASE_URL', ...FIRESTORE_SETTINGS].map((name) => [name, undefined]));
  const config = demoConfig({ ...process.env, ...others });
  const { eventId, venue = DEFAULT_VENUE } = config;
  const incidents = incidentsAt(venue);
  for (const name of ['DATABASE_URL', 'FIRESTORE_PROJECT'])
    if (process.env[name]) print(`${name} is not used: the demo has a database of its own.`);
  let database: EmbeddedDatabase | undefined;
  const current = (): EmbeddedDatabase => {
    if (!database) throw new Error('unreachable: the board has been started');
    return database;
  };
  return {
    config,
    overrides: {
      onDatabase(made) {
        database = made;
        return prepareDemo(made, { eventId, venue, signal, print });
      },
    },
    description: '',
    get remedy() {
      return `With another EVENT_ID, or after "rm -r ${current().dataDir}", the demo begins afresh.`;
    },
    admit() {
      const incidentOptions = incidents.flatMap((incident) => ['--incident', incident]);
      return fork(
        GATES,
        ['simulate', '--reset', '--speed', speed, ...incidentOptions],
        // GATES_DATABASE_URL of the environment must not name another database.
        { env: { ...process.env, GATES_DATABASE_URL: '', DATA_DIR: current().dataDir, TRIAGEM_DEMO: '1' } },
      );
    },
    setGatesOpen(gatesOpenMs) {
      const title = process.env['EVENT_TITLE']?.trim() || DEMO_TITLE;
      return setMatchTimes(current().gatesUrl, { eventId, title, gatesOpenMs });
    },
    stop: () => Promise.resolve(),
  };
}

/** Returns the settings of a demo's board. */
export function demoConfig(environment: NodeJS.ProcessEnv): Config {
  const DESK_KEY = environment['DESK_KEY']?.trim() || randomBytes(12).toString('hex');
  const env: NodeJS.ProcessEnv = { ...environment, DESK_KEY };
  const config = readConfig(env);
  const { embedded } = config;
  if (!embedded) throw new Error('unreachable: a demo has a desk, and no other record');
  return {
    ...config,
    demo: true,
    title: env['EVENT_TITLE']?.trim() ? config.title : titleOf(DEMO_TITLE),
    // By default any free port: npm start may be running beside the demo.
    embedded: {
      ...embedded,
      subfolder: 'demo',
      port: env['EMBEDDED_DATABASE_PORT'] ? embedded.port : 0,
    },
  };
}
