import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type postgres from 'postgres';
import { DEFAULT_VENUE, knownCodes } from '../../domain/venue.ts';
import { launchRole, type ServerProcess } from '../../testing/server/server.ts';
import type { Scope } from '../benchmark.ts';
import { type BenchDatabase, startDatabase } from '../support/database.ts';
import { startNats } from '../support/nats.ts';

/** One of many events, and the name of its screens. */
interface BenchEvent {
  readonly host: string;
  readonly eventId: string;
}

export interface Fleet {
  readonly database: BenchDatabase;
  readonly counter: ServerProcess;
  readonly edge: ServerProcess;
  readonly nats: Awaited<ReturnType<typeof startNats>>;
  readonly events: readonly BenchEvent[];
}

const STOP_LIMIT_MS = 700;

/** One counter, one NATS server and one edge, with so many events of so many tickets, of which none has entered. */
export async function startFleet(scope: Scope, count: number, ticketsEach: number): Promise<Fleet> {
  const events = Array.from({ length: count }, (_, n) => ({
    host: `e${n + 1}.bench.test`,
    eventId: createHash('md5')
      .update(`event ${n + 1}`)
      .digest('hex'),
  }));
  const [database, nats] = [await startDatabase(scope), await startNats(scope)];
  await sell(database.admin, events, ticketsEach);
  const launch = async (
    role: 'counter' | 'edge',
    env: Readonly<Record<string, string>>,
  ): Promise<ServerProcess> => {
    const server = await launchRole(role, { env: { NATS_URL: nats.url, ...env } });
    scope.stops.push(() => server.stop(STOP_LIMIT_MS));
    await server.serves('/readyz');
    return server;
  };
  const counter = await launch('counter', { DATABASE_URL: database.observerUrl });
  const edge = await launch('edge', { EVENT_TITLE: '', EVENTS_FILE: writeEventsFile(scope, events) });
  return { database, counter, edge, nats, events };
}

function writeEventsFile({ stops }: Scope, events: readonly BenchEvent[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'triagem-bench-events-'));
  stops.push(() => rmSync(folder, { recursive: true, force: true }));
  const file = Object.fromEntries(
    events.map(({ host, eventId }) => [host, { eventId, title: `Jogo ${host}` }]),
  );
  const path = join(folder, 'events.json');
  writeFileSync(path, JSON.stringify(file, undefined, 1));
  return path;
}

/** By one statement; ticket n of each event is `t` and its number. */
async function sell(admin: postgres.Sql, events: readonly BenchEvent[], each: number): Promise<void> {
  const codes = [...knownCodes(DEFAULT_VENUE)];
  const ids = events.map(({ eventId }) => eventId).join();
  await admin`
    insert into tickets (event_id, id, is_valid_ticket, entrou, setor)
    select event_id, 't' || n, true, false, (string_to_array(${codes.join()}, ','))[1 + n % ${codes.length}]
    from string_to_table(${ids}, ',') event_id, generate_series(1, ${each}) n`;
  await admin`vacuum analyze tickets`;
  await admin`checkpoint`;
}
