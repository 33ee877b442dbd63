import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { MINUTE_MS } from '../../domain/flow/minute.ts';
import { DESK_KEY } from '../../testing/desk-app.ts';
import { openDesk } from '../../testing/desk-client.ts';
import { fillDisk } from '../../testing/disk.ts';
import { install, makeDisk, prepareUsedFolder } from '../../testing/installation.ts';
import { readiness, untilReady } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';
import { startWebhookReceiver } from '../../testing/webhook-receiver.ts';

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
