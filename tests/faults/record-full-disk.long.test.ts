import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { DESK_KEY } from '../../testing/desk-app.ts';
import { openDesk } from '../../testing/desk-client.ts';
import { fillDisk } from '../../testing/disk.ts';
import { install, makeDisk, prepareUsedFolder } from '../../testing/installation.ts';
import { readiness, untilReady } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

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
