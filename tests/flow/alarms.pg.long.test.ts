import { expect, test } from 'vitest';
import type { DeskState } from '../../desk/model/desk-state.ts';
import type { LogKind, LogRow } from '../../desk/model/log/flow-log.ts';
import { type AlarmMatch, type AlarmMatchOptions, openAlarmMatch } from '../../testing/desk/alarm-match.ts';
import type { TestDatabase } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import {
  commandUntilAccepted,
  type DeskClient,
  openDesk,
  openDeskStream,
} from '../../testing/desk/desk-client.ts';
import type { TestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../testing/desk/webhook-receiver.ts';
import { testInFull } from '../../testing/test-in-full.ts';

interface Match extends AlarmMatch {
  readonly receiver: WebhookReceiver;
  start(): Promise<{
    readonly server: TestServer;
    readonly desk: DeskClient;
    readonly state: () => DeskState;
  }>;
}

async function openMatch(options: AlarmMatchOptions = {}): Promise<Match> {
  const match = await openAlarmMatch(options);
  const receiver = await startWebhookReceiver();
  return {
    ...match,
    receiver,
    async start() {
      const server = await match.startServer({
        METRICS_PORT: '0',
        ALARM_WEBHOOK_URL: receiver.url,
        ALARM_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      });
      const desk = await openDesk(server.url, { name: 'Ana', key: DESK_KEY });
      const stream = await openDeskStream(server.url, desk.cookie);
      await until(() => expect(stream.state).toBeDefined());
      return { server, desk, state: () => stream.state as DeskState };
    },
  };
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

// Each waits most of the time, and has a match of its own.
test.concurrent('a stop at one gate is raised, acknowledged, sent, kept over a restart, and over when people enter again', async () => {
  const match = await openMatch();
  const first = await match.start();
  await match.untilUsualIsKnown();
  match.stopped.add('7');
  await until(() => expect(first.state().alarms.map(({ rule }) => rule)).toContain('stopped'), 60_000);
  const alarm = first.state().alarms.find(({ rule, sector }) => rule === 'stopped' && sector === '7');
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
  await until(() => expect(active().map(({ id }) => id)).not.toContain(alarm.id), 60_000);

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
});

testInFull.concurrent(
  'a second server shows what the first one says, adds nothing to it, and takes over',
  async () => {
    const match = await openMatch();
    const servers = [await match.start(), await match.start()];
    const roles = (): string[] => servers.map(({ state }) => state().record.state.kind).toSorted();
    await until(() => expect(roles()).toEqual(['standby', 'writer']));
    await match.untilUsualIsKnown();
    match.stopped.add('7');
    for (const { state } of servers)
      await until(() => expect(state().alarms.map(({ rule }) => rule)).toContain('stopped'), 60_000);
    await until(() => expect(textsOf(match.receiver)).toContain('alarm.raised stopped 7'));
    await until(() => expect(roles()).toEqual(['standby', 'writer']));
    const [writer, standby] = servers.toSorted((a) => (a.state().record.state.kind === 'writer' ? -1 : 1));
    if (!writer || !standby) throw new Error('unreachable: there are two');
    await writer.server.stop();
    await until(() => expect(standby.state().record.state).toEqual({ kind: 'writer' }));
    const alarm = standby.state().alarms.find(({ rule, sector }) => rule === 'stopped' && sector === '7');
    const command = { kind: 'acknowledge', alarm: alarm?.id, text: undefined };
    expect((await standby.desk.command(command)).status).toBe(200);
    await until(() => expect(textsOf(match.receiver)).toContain('alarm.acknowledged stopped 7'));
    const raised = (await logged(match.database, 'alarm')).filter(({ data }) => data.rule === 'stopped');
    expect(raised).toHaveLength(1);
  },
);

test.concurrent('a record that is away holds no alarm up: it stands on the desk and is sent, and is noted when it is back', async () => {
  const match = await openMatch({ hasRecordOfItsOwn: true });
  const { recordDatabase, receiver } = match;
  const { state, desk } = await match.start();
  await until(() => expect(state().record.state).toEqual({ kind: 'writer' }));
  await match.untilUsualIsKnown();
  await recordDatabase.allowConnections(false);
  await recordDatabase.admin`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = ${recordDatabase.name} and pid <> pg_backend_pid()`;
  await until(() => expect(state().record.state.kind).toBe('away'));
  match.stopped.add('7');
  await until(() => expect(state().alarms.map(({ rule }) => rule)).toContain('stopped'), 60_000);
  const alarm = state().alarms.find(({ rule, sector }) => rule === 'stopped' && sector === '7');
  const command = { kind: 'acknowledge', alarm: alarm?.id, text: undefined };
  expect((await desk.command(command)).status).toBe(503);
  await until(() => expect(textsOf(receiver)).toContain('alarm.raised stopped 7'));
  expect(state().record.state.kind).toBe('away');
  await recordDatabase.allowConnections(true);
  await commandUntilAccepted(desk, command);
  await until(() => expect(textsOf(receiver)).toContain('alarm.acknowledged stopped 7'));
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(ids.length);
  await until(async () =>
    expect((await logged(recordDatabase, 'notified')).map(({ data }) => data.id)).toContain(alarm?.id),
  );
  const raised = (await logged(recordDatabase, 'alarm')).filter(({ data }) => data.rule === 'stopped');
  expect(raised.map(({ id, atMs }) => [id, atMs])).toEqual([[alarm?.id, alarm?.sinceMs]]);
});
