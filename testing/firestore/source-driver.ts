import { randomBytes } from 'node:crypto';
import { type Firestore, Timestamp } from '@google-cloud/firestore';
import { pino } from 'pino';
import type {
  FirestoreCredentials,
  FirestoreSettings,
} from '../../board/sources/firestore/firestore-settings.ts';
import { GRPC_CODE } from '../../board/sources/firestore/grpc-status.ts';
import type { SourceOptions, TicketSource } from '../../board/sources/ticket-source.ts';
import { type Network, startNetwork } from '../server/network.ts';
import type { SourceDriver } from '../sources/source-contract.ts';
import { openServerClient } from './server-client.ts';

/** Opens a source of these settings, with limits as short as a test wants them. */
export type OpenFirestoreSource = (settings: FirestoreSettings, options: SourceOptions) => TicketSource;

export interface FirestoreDriver extends SourceDriver {
  readonly project: string;
  /** What writes as a gate system does, past the network. */
  readonly gates: Firestore;
  /** Between the sources and the project. */
  readonly network: Network;
  /** Those that `open` opens a source with. */
  readonly settings: FirestoreSettings;
}

const OWNER: FirestoreCredentials = { kind: 'emulator-owner' };

/** What differs between one test and the next; default: the emulator's owner, without files. */
export type DriverSettings = Partial<
  Pick<FirestoreSettings, 'collection' | 'credentials' | 'authEmulatorHost' | 'dataDir'>
>;

/**
 * Opens a project of its own, empty, of the emulator or of the stand-in for it, with a network between it and the sources.
 * Gates write with Google's server library.
 */
export async function openFirestoreDriver(
  { host }: { readonly host: string },
  open: OpenFirestoreSource,
  { collection = 'events/{event}/tickets', ...own }: DriverSettings = {},
): Promise<FirestoreDriver> {
  const project = `triagem-${randomBytes(6).toString('hex')}`;
  const gates = openServerClient(host, project);
  const network = await startNetwork(`http://${host}`);
  const settings: FirestoreSettings = {
    kind: 'firestore',
    project,
    database: '(default)',
    collection,
    credentials: OWNER,
    emulatorHost: `127.0.0.1:${network.port}`,
    authEmulatorHost: undefined,
    dataDir: undefined,
    ...own,
  };
  const ticketAt = (eventId: string, id: string) =>
    gates.doc(`${collection.replaceAll('{event}', eventId)}/${id}`);
  return {
    project,
    gates,
    network,
    settings,
    knowsAllEvents: false,
    open: (options) => open(settings, { ...options, knownCodes: ['4'], log: pino({ level: 'silent' }) }),
    async commit(writes) {
      const send = (): Promise<unknown> => {
        const batch = gates.batch();
        for (const { eventId, id, ticket } of writes) {
          if (ticket) batch.set(ticketAt(eventId, id), { ...ticket });
          else batch.delete(ticketAt(eventId, id));
        }
        return batch.commit();
      };
      // Under several writers the emulator now and then fails a call by a fault of its own. Whole documents are set: what is
      // sent again changes nothing.
      await send().catch((error: unknown) => {
        if ((error as { code?: unknown }).code !== GRPC_CODE.CANCELLED) throw error;
        return send();
      });
    },
    async removeAll() {
      const { docs } = await gates.collectionGroup(ticketAt('any', 'any').parent.id).get();
      const batch = gates.batch();
      for (const { ref } of docs) batch.delete(ref);
      await batch.commit();
    },
    async writeDocument(eventId, code, data) {
      const document = gates.doc(`events/${eventId}/sectors/${code}`);
      if (data === undefined) await document.delete();
      else await document.set({ ...data });
    },
    async writeMetadata(eventId, metadata) {
      const document = gates.doc(`events/${eventId}`);
      if (!metadata) {
        await document.delete();
        return;
      }
      const { title, gatesOpenAtMs, kickOffAtMs, timeZone } = metadata;
      const at = (ms: number | null): Timestamp | null => (ms === null ? null : Timestamp.fromMillis(ms));
      await document.set({
        title,
        gates_open_at: at(gatesOpenAtMs),
        kick_off_at: at(kickOffAtMs),
        time_zone: timeZone,
      });
    },
    cut: () => network.cut(),
    swallow: () => network.swallow(),
    restore: () => network.restore(),
    connections: () => Promise.resolve(network.open),
  };
}
