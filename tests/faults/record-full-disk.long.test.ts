import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { MINUTE_MS } from '../../domain/flow/minute.ts';
import { EMBEDDED_NAMES } from '../../server/database/embedded/cluster-files.ts';
import { urlsOf } from '../../server/database/embedded/embedded-database.ts';
import { openSecrets } from '../../server/database/embedded/secrets.ts';
import { errorCode } from '../../server/database/setup-error.ts';
import { speedUp } from '../../server/flow/flow-clock.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { connectTestDatabase } from '../../testing/database.ts';
import { DESK_KEY } from '../../testing/desk-app.ts';
import { openDesk } from '../../testing/desk-client.ts';
import { fillDisk } from '../../testing/disk.ts';
import { duration } from '../../testing/durations.ts';
import { install, makeDisk, prepareUsedFolder } from '../../testing/installation.ts';
import { startProgram } from '../../testing/program.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { startGates } from '../../testing/recorded-flow.ts';
import { readiness, untilReady } from '../../testing/test-server.ts';
import { keepTicketHistory } from '../../testing/ticket-history.ts';
import { until } from '../../testing/until.ts';
import { startWebhookReceiver } from '../../testing/webhook-receiver.ts';
import {
  expectRecounted,
  readRecordedMinutes,
  UNWATCHED_BEFORE_MS,
  untilRecorded,
} from '../flow/expect-recounted.ts';
import { expectKept, startOperators } from '../flow/operators.ts';

prepareUsedFolder();

test('a disk that fills up while operators write: commands are refused, told, and recorded once there is space', async () => {
  const disk = await makeDisk({ isUsed: true });
  const place = await install(disk.folder, disk);
  place.run('start', [], { DESK_KEY });
  await untilReady(place, 30_000);
  const desk = await openDesk(place.url, { name: 'Ana', key: DESK_KEY });
  const say = async (id: string): Promise<number> => {
    const { status } = await desk.command({ id, text: 'x'.repeat(500), sector: null });
    return status;
  };
  const answered = [randomUUID() as string];
  await until(async () => expect(await say(answered[0] ?? '')).toBe(200));
  const filler = fillDisk(disk, 400);
  let refused = '';
  await until(async () => {
    const id = randomUUID();
    const status = await say(id);
    if (status === 200) answered.push(id);
    else refused = id;
    expect(status).toBe(503);
  });
  await until(async () => expect((await readiness(place)).text).toMatch(/disk of .* full/));
  expect(await say(refused)).toBe(503);
  rmSync(filler);
  await untilReady(place, 30_000);
  await until(async () => expect(await say(refused)).toBe(200), 30_000);
  const log = parse<{ id: string; kind: string }>(await place.gates('record', 'export', '--log'), {
    columns: true,
  });
  const recorded = log.filter(({ kind }) => kind === 'occurrence').map(({ id }) => id);
  expect(recorded).toEqual([...answered, refused]);
  expect(await place.gates('record', 'verify')).toMatch(/each as it was written/);
});

test('a disk that fills up until nothing is known of the tickets: whoever is called is called, and the log has it later', async () => {
  const disk = await makeDisk({ isUsed: true });
  const place = await install(disk.folder, disk);
  const receiver = await startWebhookReceiver();
  place.run('start', [], {
    DESK_KEY,
    ALARM_WEBHOOK_URL: receiver.url,
    ALARM_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  });
  await untilReady(place, 30_000);
  const inMinutes = (minutes: number): string =>
    `${new Date(Date.now() + minutes * MINUTE_MS).toISOString().slice(0, 16)}+00:00`;
  const times = ['--gates-open', inMinutes(-30), '--kick-off', inMinutes(60)];
  await place.gates('event', 'create', '--id', DEFAULT_EVENT_ID, '--title', 'Palestra × Atlético', ...times);
  const desk = await openDesk(place.url, { name: 'Ana', key: DESK_KEY });
  const say = async (): Promise<number> =>
    (await desk.command({ id: randomUUID(), text: 'x'.repeat(500), sector: null })).status;
  await until(async () => expect(await say()).toBe(200));
  const filler = fillDisk(disk, 400);
  const isRaised = (body: string): boolean => body.includes('"rule":"no-data"');
  await until(async () => {
    await say();
    expect(receiver.received.map(({ body }) => isRaised(body))).toContain(true);
  }, 90_000);
  expect((await readiness(place)).text).toMatch(/disk of .* full/);
  rmSync(filler);
  await untilReady(place, 30_000);
  await until(async () => expect(await say()).toBe(200), 30_000);
  const id = (
    JSON.parse(receiver.received.find(({ body }) => isRaised(body))?.body ?? '') as {
      data: { alarm: string };
    }
  ).data.alarm;
  const log = parse<{ id: string }>(await place.gates('record', 'export', '--log'), { columns: true });
  expect(log.map((row) => row.id)).toContain(id);
  const sent = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(sent).size).toBe(sent.length);
}, 180_000);

/** A minute of the flow is half a second. */
const SPEED = 120;
const WATCHES_MS = 6_000;
const FULL_MS = duration(60_000, 6_000);

test(
  'a disk that is full for a while: each minute that was watched is recorded, as SQL recounts it, and what was answered is kept',
  async () => {
    const disk = await makeDisk({ isUsed: true });
    const place = await install(disk.folder, disk);
    const clock = { sinceMs: Date.now(), speed: SPEED };
    const flowClock = speedUp(clock.sinceMs, SPEED);
    const script = join(PROJECT_ROOT, 'testing/sped-up-server.mjs');
    const [enter, ...args] = [...disk.enter, process.execPath, script];
    const { end, stdout } = startProgram(enter, args, {
      env: { ...place.settings, DESK_KEY, FLOW_SPEED: `${SPEED}`, FLOW_SINCE_MS: `${clock.sinceMs}` },
    });
    closeOnce(() => end());
    await untilReady(place, 30_000);
    const secrets = await openSecrets({ folder: disk.seenFromOutside, cluster: '' });
    const urls = urlsOf(place.databasePort, secrets);
    const database = connectTestDatabase(EMBEDDED_NAMES.database, urls, () => {});
    const history = await keepTicketHistory(database);
    const gates = startGates(database, async (error) => {
      expect(errorCode(error)).toBe('53100');
      await pause(100);
    });
    const operators = await startOperators([place.url]);
    await pause(WATCHES_MS);
    const watchedFromMs = flowClock(Date.now());
    // The log has room for what is written meanwhile: without it PostgreSQL ends.
    await database.admin.unsafe('select pg_switch_wal(); checkpoint');
    const filler = fillDisk(disk, 400);
    await until(async () => expect((await readiness(place)).text).toMatch(/disk of .* full/));
    // Pages that are begun still take rows: it is full for the record once no minute has been written for this long.
    await until(async () => {
      const last = (await readRecordedMinutes(database.admin)).at(-1)?.minuteMs ?? 0;
      expect(flowClock(Date.now()) - last).toBeGreaterThan(FULL_MS * SPEED);
    }, FULL_MS + 30_000);
    rmSync(filler);
    await untilReady(place, 30_000);
    await pause(WATCHES_MS);
    await operators.stop();
    await gates.stop();
    await untilRecorded(database.admin, flowClock(Date.now()));

    const told = (message: string): number[] => timesOf(stdout(), message).map((at) => flowClock(at));
    const away = told('not observing live').map((fromMs, n) => ({
      fromMs: fromMs - UNWATCHED_BEFORE_MS * SPEED,
      toMs: told('observing again')[n] ?? Number.POSITIVE_INFINITY,
    }));
    const { compared } = await expectRecounted(database.admin, history, away, clock, watchedFromMs);
    expect(compared).toBeGreaterThan((WATCHES_MS / MINUTE_MS) * SPEED);
    await expectKept(database, operators);
  },
  FULL_MS + 180_000,
);

/** Of the lines of a log with this message, Unix time. */
function timesOf(log: string, message: string): number[] {
  const lines = log.split('\n').filter((line) => line.includes(message));
  return lines.map((line) => (JSON.parse(line) as { time: number }).time);
}
