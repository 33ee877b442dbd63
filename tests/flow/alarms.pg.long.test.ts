import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { DeskState } from '../../domain/flow/desk-state.ts';
import type { LogKind, LogRow } from '../../domain/flow/flow-log.ts';
import { MINUTE_MS } from '../../domain/flow/minute.ts';
import { speedUp } from '../../server/flow/flow-clock.ts';
import { OBSERVING_LIMITS } from '../../server/observing/limits.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { DESK_KEY } from '../../testing/desk-app.ts';
import { type DeskClient, openDesk, openDeskStream } from '../../testing/desk-client.ts';
import { startTestServer, type TestServer, untilReady } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../testing/webhook-receiver.ts';

/** A minute of the match takes a second. */
const SPEED = 60;
const SECTORS = ['4', '7', '99'] as const;
/** People who come to each sector in a minute of the match, and how often they are let in, in real time. */
const PER_MINUTE = 40;
const STEP_MS = 250;
const VALID = 4_000;
/** In real time: the rule wants ten minutes that ended three minutes before, and two without anybody. */
const BEFORE_STOP_MS = 16_000;
const TIMEOUT_MS = 180_000;

/** Real gates, real database, and servers whose clock is that of the match. */
interface Match {
  readonly database: TestDatabase;
  /** Where minutes and log are kept. */
  readonly recordDatabase: TestDatabase;
  readonly receiver: WebhookReceiver;
  /** Sectors that let nobody in from now on. */
  readonly stopped: Set<string>;
  start(): Promise<{
    readonly server: TestServer;
    readonly desk: DeskClient;
    readonly state: () => DeskState;
  }>;
}

async function openMatch({ hasRecordOfItsOwn = false } = {}): Promise<Match> {
  const database = await createTestDatabase();
  const recordDatabase = hasRecordOfItsOwn ? await createTestDatabase() : database;
  for (const sector of SECTORS) {
    await database.gates`
      insert into public.tickets (event_id, id, setor, entrou, is_valid_ticket)
      select ${DEFAULT_EVENT_ID}, ${`${sector}-`} || seat, ${sector}, false, true
      from generate_series(0, ${VALID - 1}) seat`;
  }
  const receiver = await startWebhookReceiver();
  const flowClock = speedUp(Date.now(), SPEED);
  const nowMs = flowClock(Date.now());
  await database.gates`
    insert into public.event_details (event_id, title, gates_open_at, kick_off_at)
    values (${DEFAULT_EVENT_ID}, 'Palestra × Atlético', ${new Date(nowMs - 30 * MINUTE_MS)},
      ${new Date(nowMs + 70 * MINUTE_MS)})`;
  const stopped = new Set<string>();
  letIn(database, stopped);
  return {
    database,
    recordDatabase,
    receiver,
    stopped,
    async start() {
      const server = await startTestServer(
        database,
        {
          DESK_KEY,
          METRICS_PORT: '0',
          RECORD_DATABASE_URL: recordDatabase.recordUrl,
          ALARM_WEBHOOK_URL: receiver.url,
          ALARM_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
        },
        { limits: { ...OBSERVING_LIMITS, checkEveryMs: 200 }, flowClock },
      );
      await untilReady(server);
      const desk = await openDesk(server.url, { name: 'Ana', key: DESK_KEY });
      const stream = await openDeskStream(server.url, desk.cookie);
      await until(() => expect(stream.state).toBeDefined());
      return { server, desk, state: () => stream.state as DeskState };
    },
  };
}

/** Until the test ends. */
function letIn({ gates }: TestDatabase, stopped: ReadonlySet<string>): void {
  let seat = 0;
  const timer = setInterval(() => {
    const count = Math.round((PER_MINUTE * SPEED * STEP_MS) / MINUTE_MS);
    const ids = SECTORS.filter((sector) => !stopped.has(sector)).flatMap((sector) =>
      Array.from({ length: count }, (_, next) => `${sector}-${seat + next}`),
    );
    seat += count;
    gates`update public.tickets set entrou = true where event_id = ${DEFAULT_EVENT_ID} and id = any (${ids})`.catch(
      () => {},
    );
  }, STEP_MS);
  closeOnce(() => clearInterval(timer));
}

async function logged<K extends LogKind>(
  { admin }: TestDatabase,
  kind: K,
): Promise<readonly Extract<LogRow, { kind: K }>[]> {
  return admin`
    select seq::float8 as seq, id, kind, sector, by_name as by, data, extract(epoch from at)::float8 * 1000 as "atMs"
    from triagem.log where kind = ${kind} order by seq`;
}

const textsOf = ({ received }: WebhookReceiver): string[] =>
  received.map(({ body }) => {
    const { type, data } = JSON.parse(body) as {
      type: string;
      data: { rule: string; sectors: { code: string }[] };
    };
    return `${type} ${data.rule} ${data.sectors.map(({ code }) => code).join()}`;
  });

test(
  'a stop at one gate is raised, acknowledged, sent, kept over a restart, and over when people enter again',
  async () => {
    const match = await openMatch();
    const first = await match.start();
    // Nobody knows yet what is usual.
    await pause(BEFORE_STOP_MS);
    match.stopped.add('7');
    await until(() => expect(first.state().alarms.map(({ rule }) => rule)).toContain('stopped'), 20_000);
    const alarm = first.state().alarms.find(({ rule }) => rule === 'stopped');
    expect(alarm).toMatchObject({ sector: '7', acknowledged: null, returnedAtMs: null });
    if (alarm?.rule !== 'stopped') throw new Error('unreachable: it was looked for');
    const { silentSinceMs, windowMs } = alarm.figures;
    expect(alarm.sinceMs - silentSinceMs).toBeLessThan(windowMs + 20_000);
    expect(first.state().rows.find(({ code }) => code === '7')?.state).toBe('stopped');
    const acknowledge = { kind: 'acknowledge', alarm: alarm.id, note: 'portão emperrado', text: undefined };
    expect((await first.desk.command(acknowledge)).status).toBe(200);
    expect((await first.desk.command(acknowledge)).status).toBe(409);
    await until(() =>
      expect(textsOf(match.receiver)).toEqual(
        expect.arrayContaining(['alarm.raised stopped 7', 'alarm.acknowledged stopped 7']),
      ),
    );

    await until(async () => {
      const metrics = await (await fetch(first.server.metricsUrl ?? '')).text();
      expect(metrics).toMatch(/^triagem_alarms_active [1-9]/m);
      expect(metrics).toMatch(/^triagem_alarms_raised_total [1-9]/m);
      expect(metrics).toMatch(/^triagem_alarm_webhook_taken_total ([2-9]|\d\d)/m);
      expect(metrics).toMatch(/^triagem_alarm_webhook_waiting 0/m);
    });

    await first.server.stop();
    const before = textsOf(match.receiver).length;
    const second = await match.start();
    await until(() => expect(second.state().record.state).toEqual({ kind: 'writer' }));
    await until(() => expect(second.state().watch.waits).toBe(null));
    const kept = second.state().alarms.find(({ id }) => id === alarm.id);
    // Five minutes after an acknowledgement without effect it calls again: seconds here, and a machine may be slow.
    const acknowledged = kept?.againAtMs ? null : { by: 'Ana', note: 'portão emperrado' };
    expect(kept).toMatchObject({ acknowledged, returnedAtMs: null });
    match.stopped.delete('7');
    const active = () => second.state().alarms.filter(({ returnedAtMs }) => returnedAtMs === null);
    await until(() => expect(active().map(({ id }) => id)).not.toContain(alarm.id), 20_000);

    const raised = (await logged(match.database, 'alarm')).filter(({ data }) => data.rule === 'stopped');
    expect(raised.map(({ id, sector }) => [id, sector])).toEqual([[alarm.id, '7']]);
    expect(await logged(match.database, 'alarm-returned')).toEqual(
      expect.arrayContaining([expect.objectContaining({ data: { alarm: alarm.id, why: 'resolved' } })]),
    );
    await until(() => expect(textsOf(match.receiver).slice(before)).toContain('alarm.returned stopped 7'));
    // What was answered before the restart is not sent again.
    const ids = match.receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(ids.length);
    await until(async () => expect(await logged(match.database, 'notified')).toHaveLength(ids.length));
    const sent = await logged(match.database, 'notified');
    expect(sent.every(({ data }) => data.status === 204)).toBe(true);
  },
  TIMEOUT_MS,
);

test(
  'a second server shows what the first one says, adds nothing to it, and takes over',
  async () => {
    const match = await openMatch();
    const servers = [await match.start(), await match.start()];
    const roles = (): string[] => servers.map(({ state }) => state().record.state.kind).toSorted();
    await until(() => expect(roles()).toEqual(['standby', 'writer']));
    await pause(BEFORE_STOP_MS);
    match.stopped.add('7');
    for (const { state } of servers)
      await until(() => expect(state().alarms.map(({ rule }) => rule)).toContain('stopped'), 20_000);
    await until(() => expect(textsOf(match.receiver)).toContain('alarm.raised stopped 7'));
    await until(() => expect(roles()).toEqual(['standby', 'writer']));
    const [writer, standby] = servers.toSorted((a) => (a.state().record.state.kind === 'writer' ? -1 : 1));
    if (!writer || !standby) throw new Error('unreachable: there are two');
    await writer.server.stop();
    await until(() => expect(standby.state().record.state).toEqual({ kind: 'writer' }));
    const alarm = standby.state().alarms.find(({ rule }) => rule === 'stopped');
    const command = { kind: 'acknowledge', alarm: alarm?.id, text: undefined };
    expect((await standby.desk.command(command)).status).toBe(200);
    await until(() => expect(textsOf(match.receiver)).toContain('alarm.acknowledged stopped 7'));
    const raised = (await logged(match.database, 'alarm')).filter(({ data }) => data.rule === 'stopped');
    expect(raised).toHaveLength(1);
  },
  TIMEOUT_MS,
);

test(
  'a record that is away holds no alarm up: it stands on the desk and is sent, and is noted when it is back',
  async () => {
    const match = await openMatch({ hasRecordOfItsOwn: true });
    const { recordDatabase, receiver } = match;
    const { state, desk } = await match.start();
    await until(() => expect(state().record.state).toEqual({ kind: 'writer' }));
    await pause(BEFORE_STOP_MS);
    await recordDatabase.allowConnections(false);
    await recordDatabase.admin`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = ${recordDatabase.name} and pid <> pg_backend_pid()`;
    await until(() => expect(state().record.state.kind).toBe('away'));
    match.stopped.add('7');
    await until(() => expect(state().alarms.map(({ rule }) => rule)).toContain('stopped'), 20_000);
    const alarm = state().alarms.find(({ rule }) => rule === 'stopped');
    const command = { kind: 'acknowledge', alarm: alarm?.id, text: undefined };
    expect((await desk.command(command)).status).toBe(503);
    await until(() => expect(textsOf(receiver)).toContain('alarm.raised stopped 7'));
    expect(state().record.state.kind).toBe('away');
    await recordDatabase.allowConnections(true);
    await until(async () => expect((await desk.command(command)).status).toBe(200));
    await until(() => expect(textsOf(receiver)).toContain('alarm.acknowledged stopped 7'));
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(ids.length);
    await until(async () =>
      expect((await logged(recordDatabase, 'notified')).map(({ data }) => data.id)).toContain(alarm?.id),
    );
    const raised = (await logged(recordDatabase, 'alarm')).filter(({ data }) => data.rule === 'stopped');
    expect(raised.map(({ id, atMs }) => [id, atMs])).toEqual([[alarm?.id, alarm?.sinceMs]]);
  },
  TIMEOUT_MS,
);
