import { once } from 'node:events';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { GatesOpen } from '../../gates/simulator/simulate.ts';
import { type Program, startProgram } from '../../testing/server/program.ts';
import { setMatchTimes } from '../../tools/demo/match-times.ts';
import type { Scope } from '../benchmark.ts';

/** Something for a desk to show: one sector is stopped, one slowed. */
const INCIDENTS = ['stop:7@-35+6', 'slow:4@-26+9x0.3'];

/** The time of a match: Unix time, but `speed` times faster from `sinceMs` on. */
export interface MatchTime {
  readonly sinceMs: number;
  readonly speed: number;
}

/** Sells the tickets of `simulate`; resolves once its gates are open, and the desks know when the match begins. */
export async function openMatch(run: Scope, gatesUrl: string, time: MatchTime): Promise<Program> {
  run.signal.throwIfAborted();
  const incidents = INCIDENTS.flatMap((incident) => ['--incident', incident]);
  const gates = startProgram(
    process.execPath,
    ['build/gates/main.js', 'simulate', '--speed', String(time.speed), ...incidents],
    // With this it tells when its gates open.
    { env: { GATES_DATABASE_URL: gatesUrl, TRIAGEM_DEMO: '1' }, ipc: true },
  );
  run.stops.push(() => gates.end('SIGKILL'));
  const refused = gates.ended.then(() => {
    throw new Error(`the gates did not open: ${gates.stderr()}`);
  });
  // Its end, once they are open, is the end of the match.
  refused.catch(() => {});
  const told = once(gates.child, 'message', { signal: run.signal }) as Promise<[GatesOpen]>;
  const [{ gatesOpenAtMs }] = await Promise.race([told, refused]);
  const { sinceMs, speed } = time;
  await setMatchTimes(gatesUrl, {
    eventId: DEFAULT_EVENT_ID,
    title: 'Palestra × Atlético',
    gatesOpenMs: sinceMs + (gatesOpenAtMs - sinceMs) * speed,
  });
  return gates;
}
