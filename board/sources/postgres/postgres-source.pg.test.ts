import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import type postgres from 'postgres';
import { describe, expect, test, vi } from 'vitest';
import { RESTORE_MARK } from '../../../domain/restore-mark.ts';
import { closeOnce } from '../../../testing/close-once.ts';
import { createTestDatabase, newEventId } from '../../../testing/database/database.ts';
import { startNetwork } from '../../../testing/server/network.ts';
import { describeSource, type SourceDriver } from '../../../testing/sources/source-contract.ts';
import { SourceRecorder } from '../../../testing/sources/source-recorder.ts';
import { until } from '../../../testing/until.ts';
import { openPostgresSource } from '../open-source.ts';
import { OBSERVING_LIMITS } from './limits.ts';

/** The shortest ones that a busy machine keeps. */
const LIMITS = {
  ...OBSERVING_LIMITS,
  checkEveryMs: 100,
  staleAfterMs: 1_000,
  silenceMs: 2_500,
  walSenderTimeoutMs: 2_000,
};

/** A database, with a network between it and the sources. */
async function openDriver(): Promise<SourceDriver & { readonly admin: postgres.Sql }> {
  const { admin, gates, observerUrl, name } = await createTestDatabase();
  const network = await startNetwork(observerUrl);
  return {
    admin,
    knowsAllEvents: true,
    open: (options) =>
      openPostgresSource(
        { kind: 'postgres', url: network.url, subscriptions: { url: undefined, unwatched: [] } },
        { ...options, knownCodes: ['4'], log: pino({ level: 'silent' }), limits: LIMITS },
      ),
    async commit(writes) {
      await gates.begin(async (sql) => {
        for (const { eventId, id, ticket } of writes) {
          if (!ticket) await sql`delete from tickets where event_id = ${eventId} and id = ${id}`;
          else
            await sql`
              insert into tickets values (${eventId}, ${id}, ${ticket.isValidTicket}, ${ticket.entrou}, ${ticket.setor})
              on conflict (event_id, id) do update set is_valid_ticket = excluded.is_valid_ticket,
                entrou = excluded.entrou, setor = excluded.setor`;
        }
      });
    },
    async removeAll() {
      await admin`truncate tickets`;
    },
    async writeDocument(eventId, code, data) {
      await gates`delete from sectors where event_id = ${eventId} and code = ${code}`;
      if (data !== undefined)
        await gates`insert into sectors values (${eventId}, ${code}, ${gates.json(data as never)})`;
    },
    async writeMetadata(eventId, metadata) {
      await gates.begin(async (sql) => {
        await sql`delete from event_details where event_id = ${eventId}`;
        if (!metadata) return;
        const { title, gatesOpenAtMs, kickOffAtMs, timeZone } = metadata;
        const at = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
        await sql`
          insert into event_details (event_id, title, gates_open_at, kick_off_at, time_zone)
          values (${eventId}, ${title}, ${at(gatesOpenAtMs)}, ${at(kickOffAtMs)}, ${timeZone})`;
      });
    },
    cut: () => network.cut(),
    swallow: () => network.swallow(),
    restore: () => network.restore(),
    async connections() {
      const rows = await admin`
        select from pg_stat_activity where datname = ${name} and usename = 'triagem_observer'`;
      return rows.length;
    },
  };
}

describeSource('PostgreSQL', openDriver);

test('sector documents keep large data that the database does not repeat, and a truncation removes them', async () => {
  const driver = await openDriver();
  const { admin } = driver;
  const event = newEventId();
  const source = driver.open({ eventId: event, wantsMetadata: false });
  const observer = new SourceRecorder();
  void source.run(observer);
  closeOnce(() => source.stop());
  const untilDocuments = (documents: unknown): Promise<void> =>
    until(() => expect(observer.documents.get(event)).toEqual(documents));
  await until(() => expect(observer.isLive).toBe(true));
  const large = { mapa: Array.from({ length: 2_000 }, () => Math.random()) };
  await driver.writeDocument(event, '4', { nome: 'NORTE' });
  await driver.writeDocument(event, '11', large);
  await admin`update sectors set code = '12' where code = '11'`;
  await untilDocuments([
    { code: '12', data: large },
    { code: '4', data: { nome: 'NORTE' } },
  ]);
  await admin`update sectors set data = 'null' where code = '4'`;
  await admin`delete from sectors where code = '12'`;
  await untilDocuments([{ code: '4', data: null }]);
  await admin`truncate sectors`;
  await untilDocuments([]);
});

test('after a restore the metadata of each event come again, changed or not', async () => {
  const driver = await openDriver();
  const event = newEventId();
  const source = driver.open({ eventId: event, wantsMetadata: true });
  const observer = new SourceRecorder();
  void source.run(observer);
  closeOnce(() => source.stop());
  const untilRead = (): Promise<void> =>
    until(() => expect([...observer.metadataOf.keys()]).toEqual([event]));
  await untilRead();
  observer.metadataOf.clear();
  await driver.admin`select pg_logical_emit_message(true, ${RESTORE_MARK}, ${event})`;
  await untilRead();
});

test('nothing in a snapshot was committed later than it was taken, however long ago its sources were complete', async () => {
  const { admin, gates, adminUrl, observerUrl } = await createTestDatabase();
  const event = newEventId();
  // As no subscription copies from there, the tickets are never known to be complete.
  const source = openPostgresSource(
    { kind: 'postgres', url: observerUrl, subscriptions: { url: adminUrl, unwatched: [] } },
    { eventId: event, knownCodes: [], wantsMetadata: false, log: pino({ level: 'silent' }), limits: LIMITS },
  );
  const observer = new SourceRecorder();
  void source.run(observer);
  closeOnce(() => source.stop());
  await until(() => expect(observer.snapshots).not.toEqual([]));
  await gates`insert into tickets values (${event}, 'T', true, true, '4')`;
  const [{ ms }] = await admin<
    [{ ms: number }]
  >`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
  await until(() => expect(observer.counts).toEqual({ [`${event} 4 in`]: 1 }));
  const before = observer.snapshots.length;
  await admin`
    select pg_terminate_backend(active_pid) from pg_replication_slots where database = current_database()`;
  await until(() => expect(observer.snapshots.length).toBeGreaterThan(before));
  expect(observer.isLive).toBe(false);
  expect(observer.snapshots.at(-1)?.takenAt.sourceMs).toBeGreaterThan(ms);
});

test('a source that is stopped while it connects leaves no timer, which would keep the process', async () => {
  const driver = await openDriver();
  const setting = vi.spyOn(globalThis, 'setTimeout');
  const clearing = vi.spyOn(globalThis, 'clearTimeout');
  closeOnce(() => vi.restoreAllMocks());
  const stopAfter = async (turns: number): Promise<void> => {
    const source = driver.open({ eventId: newEventId(), wantsMetadata: false });
    const running = source.run(new SourceRecorder());
    for (let turn = 0; turn < turns; turn += 1) await setImmediate();
    await source.stop();
    await running;
  };
  // The moment at which a query is never answered cannot be told from outside.
  await Promise.all(Array.from({ length: 12 }, (_, at) => stopAfter(3 * at)));
  const cleared = new Set(clearing.mock.calls.flat());
  const timers = setting.mock.calls.flatMap(([, delayMs], at) =>
    delayMs === LIMITS.silenceMs ? [setting.mock.results[at]?.value as NodeJS.Timeout] : [],
  );
  expect(timers.length).toBeGreaterThan(0);
  expect(timers.filter((timer) => !cleared.has(timer))).toEqual([]);
});

describe('what nobody waits for to be flushed, which ends within a page of the log,', () => {
  type Driver = Awaited<ReturnType<typeof openDriver>>;

  async function observe(driver: Driver): Promise<SourceRecorder> {
    const source = driver.open({ eventId: newEventId(), wantsMetadata: false });
    const observer = new SourceRecorder();
    void source.run(observer);
    closeOnce(() => source.stop());
    await until(() => expect(observer.isLive).toBe(true));
    return observer;
  }

  /** Without a transaction ID nothing is flushed at the end, as with what the decoding leaves in the catalogues. */
  async function leaveUnflushed({ admin }: Driver): Promise<void> {
    await admin.unsafe(
      `begin read only; select pg_logical_emit_message(false, 'test', repeat('x', 12000)); rollback`,
    );
  }

  test('makes nothing stale', async () => {
    const driver = await openDriver();
    const observer = await observe(driver);
    const writtenAtMs = Date.now();
    await leaveUnflushed(driver);
    await until(() => expect(observer.caughtUp.at(-1)?.sourceMs).toBeGreaterThan(writtenAtMs));
    expect(observer.stales).toEqual([]);
  });

  test('begins nothing anew where the database gives no transaction ID: the next commit flushes it', async () => {
    const driver = await openDriver();
    await driver.admin`revoke execute on function pg_current_xact_id() from public`;
    const observer = await observe(driver);
    // Several looks at the catalogue find it so.
    for (let n = 0; n < 10; n += 1) {
      await leaveUnflushed(driver);
      await driver.admin`select pg_sleep(0.05)`;
    }
    const before = observer.caughtUp.length;
    await driver.admin`create table public.flushed ()`;
    await until(() => expect(observer.caughtUp.length).toBeGreaterThan(before + 2));
    expect(observer.snapshots).toHaveLength(1);
    expect(observer.stales.filter(({ reason }) => reason !== 'lag')).toEqual([]);
  });
});
