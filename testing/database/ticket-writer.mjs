/**
 * Lets tickets enter, one commit after the other, on a thread of its own: a server and a screen on the test's thread
 * sleep while they have nothing to do, and what they take can be measured (stopwatch.ts). What the database does not take
 * is tried again. When stopped, it prints when each commit began and when it was acknowledged, as Unix time.
 */
import postgres from 'postgres';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const { urls, eventId, prefix, first, everyMs } = workerData;
const databases = urls.map((url) => postgres(url, { max: 1, connect_timeout: 1, onnotice: () => {} }));
const stopping = new AbortController();
parentPort.once('message', () => stopping.abort());

const commits = [];
for (let number = first; !stopping.signal.aborted; number += 1) {
  const begunAtMs = now();
  while (!(await enter(`${prefix}${number}`))) await pause(20);
  commits.push({ begunAtMs, committedAtMs: now() });
  await pause(everyMs);
}
await Promise.all(databases.map((sql) => sql.end({ timeout: 1 })));
parentPort.postMessage(commits, []);

async function enter(id) {
  const [sql] = databases;
  try {
    await sql`update tickets set entrou = true where event_id = ${eventId} and id = ${id}`;
    return true;
  } catch {
    databases.push(databases.shift());
    return false;
  }
}

function now() {
  return performance.timeOrigin + performance.now();
}
