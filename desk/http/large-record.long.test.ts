import { expect, test } from 'vitest';
import type { RecordProof } from '../model/log/record-proof.ts';
import { DESK_KEY, startDeskApp } from '../../testing/desk/desk-app.ts';
import { DESK_EVENT_PATH, openDesk } from '../../testing/desk/desk-client.ts';
import { sha256 } from './record-files.ts';
import { occurrence } from '../../testing/desk/log-rows.ts';
import { createSmallDesk, minuteOf } from '../../testing/desk/small-desk.ts';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';

const SECTORS = [...Array.from({ length: 61 }, (_, index) => `sector ${index}`), ''];
const DAY_MIN = 1_440;
const LOG_ROWS = 20_000;
/** Made at once, these files would block the event loop for about a second. */
const HELD_UP_MS = 100;

/** Returns, at its end, the 99th percentile of how long the event loop worked without a break: it had a processor then. */
function watchEventLoop(): () => number {
  const workedMs: number[] = [];
  const read = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  let last = read();
  const timer = setInterval(() => {
    const next = read();
    workedMs.push(next - last);
    last = next;
  }, 5);
  return () => {
    clearInterval(timer);
    expect(workedMs.length).toBeGreaterThan(10);
    return workedMs.toSorted((one, other) => other - one)[Math.floor(workedMs.length / 100)] ?? NaN;
  };
}

test('a log of 20,000 rows and a day of 61 sectors hold nothing else up', async () => {
  const desk = createSmallDesk(DEFAULT_EVENT_ID, SECTORS);
  const counts = SECTORS.map((_, index) => index);
  for (let index = -DAY_MIN; index < 0; index += 1) desk.closeMinute(minuteOf(index, counts));
  const { id: _id, ...entry } = occurrence('', 'fila no portão 7; "grande"');
  for (let seq = 1; seq <= LOG_ROWS; seq += 1)
    desk.rows.push({ ...entry, id: `id ${seq}`, seq, previous: 'a'.repeat(64) });
  const { url } = await startDeskApp({ deskOptions: { desk } });
  const ana = await openDesk(url, { name: 'Ana', key: DESK_KEY });
  const read = async (path: string): Promise<string> =>
    (await ana.get(`${DESK_EVENT_PATH}/record${path}`)).text();

  const heldUpMs = watchEventLoop();
  const proof = await read('');
  const again = await Promise.all([read(''), read(''), read('')]);
  const [minutes, log] = await Promise.all([read('/minutes.csv'), read('/log.csv')]);
  expect(heldUpMs()).toBeLessThan(HELD_UP_MS);

  const { minutes: ofMinutes, log: ofLog } = JSON.parse(proof) as RecordProof;
  expect(ofMinutes).toMatchObject({ lines: DAY_MIN * SECTORS.length, sha256: sha256(minutes) });
  for (const text of again) expect(JSON.parse(text)).toMatchObject({ minutes: ofMinutes, log: ofLog });
  expect(ofLog).toMatchObject({ lines: LOG_ROWS, sha256: sha256(log) });
});
