/**
 * `node --import` of this reports how long the event loop of any program of ours was blocked: a line for each block, in
 * the file that EVENT_LOOP_PROBE names, with the process id after it.
 */
import { appendFileSync } from 'node:fs';

const TICK_MS = 5;
const MIN_MS = 20;

const path = `${process.env.EVENT_LOOP_PROBE}.${process.pid}`;
appendFileSync(path, '');
let last = now();

setInterval(() => {
  const next = now();
  const blockedMs = next.atMs - last.atMs - TICK_MS;
  // Of a block, the part in which the process had a processor: a busy machine makes every block longer.
  const workedMs = Math.min(blockedMs, next.cpuMs - last.cpuMs);
  if (blockedMs >= MIN_MS) {
    appendFileSync(path, `${JSON.stringify({ untilMs: Date.now(), blockedMs, workedMs })}\n`);
  }
  last = next;
}, TICK_MS).unref();

function now() {
  const { user, system } = process.cpuUsage();
  return { atMs: performance.now(), cpuMs: (user + system) / 1_000 };
}
