/**
 * `node --import` of this tells how long the event loop of any program of ours was blocked: a line for the longest
 * block of each quarter of a second, in the file that EVENT_LOOP_PROBE names, with the process id after it.
 */
import { appendFileSync } from 'node:fs';

const TICK_MS = 5;
const INTERVAL_MS = 250;

const path = `${process.env.EVENT_LOOP_PROBE}.${process.pid}`;
let last = now();
let longest = { blockedMs: 0, workedMs: 0 };
let writtenMs = last.atMs;

setInterval(() => {
  const next = now();
  const blockedMs = next.atMs - last.atMs - TICK_MS;
  // Of a block, the part in which the process had a processor: a busy machine makes every block longer.
  const workedMs = Math.min(blockedMs, next.cpuMs - last.cpuMs);
  if (blockedMs > longest.blockedMs) longest = { ...longest, blockedMs };
  if (workedMs > longest.workedMs) longest = { ...longest, workedMs };
  last = next;
  if (next.atMs - writtenMs < INTERVAL_MS) return;
  appendFileSync(path, `${JSON.stringify({ untilMs: Date.now(), ...longest })}\n`);
  longest = { blockedMs: 0, workedMs: 0 };
  writtenMs = next.atMs;
}, TICK_MS).unref();

function now() {
  const { user, system } = process.cpuUsage();
  return { atMs: performance.now(), cpuMs: (user + system) / 1_000 };
}
