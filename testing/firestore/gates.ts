import { randomBytes } from 'node:crypto';
import { type Firestore, Timestamp } from '@google-cloud/firestore';
import { makeTestFolder } from '../folder.ts';
import { openServerClient } from './server-client.ts';

/** An event in a project, of its own unless another is named, and what writes its tickets as a gate system does: Google's server library. */
export interface FirestoreGates {
  readonly eventId: string;
  readonly client: Firestore;
  /** Settings of any process that observes them, as the emulator's owner. */
  readonly sourceSettings: Readonly<Record<string, string>>;
  /** The same, of a board with a folder of its own. */
  readonly settings: Readonly<Record<string, string>>;
  /** Adds tickets of a sector, with the IDs `SECTOR-0`, `SECTOR-1` …; the first ones have entered. */
  add(sector: string, tickets: number, entered?: number): Promise<void>;
  /** Marks tickets in one commit. */
  mark(entrou: boolean, ...ids: readonly string[]): Promise<void>;
  remove(id: string): Promise<void>;
  writeMetadata(title: string, kickOffAtMs: number): Promise<void>;
}

export function openFirestoreGates(
  { host }: { readonly host: string },
  eventId = `Final · ${randomBytes(3).toString('hex')} 100%`,
  project = `demo-${randomBytes(6).toString('hex')}`,
): FirestoreGates {
  const client = openServerClient(host, project);
  const event = client.collection('events').doc(eventId);
  const tickets = event.collection('tickets');
  const sourceSettings = {
    DATABASE_URL: '',
    FIRESTORE_PROJECT: project,
    FIRESTORE_EMULATOR_HOST: host,
    EVENT_ID: eventId,
  };
  return {
    eventId,
    client,
    sourceSettings,
    settings: { ...sourceSettings, DATA_DIR: makeTestFolder(), EMBEDDED_DATABASE_PORT: '0' },
    async add(sector, count, entered = 0) {
      const batch = client.batch();
      for (let n = 0; n < count; n += 1)
        batch.set(tickets.doc(`${sector}-${n}`), {
          isValidTicket: true,
          entrou: n < entered,
          setor: sector,
          titular: 'Ana',
        });
      await batch.commit();
    },
    async mark(entrou, ...ids) {
      const batch = client.batch();
      for (const id of ids) batch.update(tickets.doc(id), { entrou });
      await batch.commit();
    },
    async remove(id) {
      await tickets.doc(id).delete();
    },
    async writeMetadata(title, kickOffAtMs) {
      await event.set({ title, kick_off_at: Timestamp.fromMillis(kickOffAtMs) });
    },
  };
}
