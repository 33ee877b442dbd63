import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { TestDatabase } from '../../../testing/database/database.ts';
import { newEventId } from '../../../testing/database/database.ts';
import { makeTestFolder } from '../../../testing/folder.ts';
import { normal, seededRandom } from '../../../gates/simulator/generated/random.ts';
import { createEvent } from '../../../gates/events/create.ts';
import { importRecord } from '../../../desk/tool/import.ts';
import { PEAKS, USUAL } from './crowds.ts';
import { comingBy, ticketsOf } from './planned-match.ts';

/** The share of the tickets that came, and how many minutes later than usual. */
const MATCHES = [
  [0.84, -3],
  [0.86, 2],
  [0.88, 0],
  [0.85, 4],
  [0.9, -1],
  [0.87, 1],
  [0.83, 3],
  [0.89, -4],
  [0.91, -2],
] as const;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Of the record's file: from more than an hour before kick-off to more than half an hour after. */
const [FROM, UNTIL] = [-70, 40];

/** Nine matches of this crowd, a week apart, come into the record as turnstile logs, by the gates tool. */
export async function importEarlierMatches(database: TestDatabase): Promise<void> {
  const folder = makeTestFolder();
  const env = { GATES_DATABASE_URL: database.gatesUrl, RECORD_DATABASE_URL: database.recordUrl };
  const lastMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - 7 * DAY_MS;
  for (const [index, [comes, late]] of MATCHES.entries()) {
    const eventId = newEventId();
    const kickOffMs = lastMs - index * 7 * DAY_MS;
    const file = join(folder, `${eventId}.csv`);
    writeFileSync(file, turnstileLog(kickOffMs, comes, late, index));
    await createEvent.run(
      ['--id', eventId, '--title', `Jogo ${index}`, '--kick-off', eventTime(kickOffMs)],
      env,
    );
    await importRecord.run([file, '--event', eventId, '--yes'], env);
  }
}

/** As the gates tool takes it: in whole seconds. */
export function eventTime(atMs: number): string {
  return new Date(atMs).toISOString().replace('.000Z', 'Z');
}

/** What commands of the gates tool say is of no interest meanwhile. */
export async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const streams = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockReturnValue(true),
  );
  try {
    return await work();
  } finally {
    for (const stream of streams) stream.mockRestore();
  }
}

function turnstileLog(kickOffMs: number, comes: number, late: number, seed: number): string {
  const random = seededRandom(1_000 + seed);
  const tickets = ticketsOf({ opensAt: -60, endsAt: 16, crowd: USUAL, peaks: PEAKS, comes: 0.88, seed });
  const inBy = new Map<string, number>();
  const lines = ['sector,minute,admitted,valid'];
  let wander = 0;
  for (let minute = FROM; minute < UNTIL; minute += 1) {
    wander = 0.8 * wander + 0.08 * normal(random);
    for (const [sector, valid] of tickets) {
      const planned = comingBy(USUAL, minute + 1 - late) - comingBy(USUAL, minute - late);
      const mean = ((planned * valid * comes) / comingBy(USUAL, Infinity)) * Math.exp(wander);
      const before = inBy.get(sector) ?? 0;
      const entered = Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
      inBy.set(sector, Math.min(valid, before + entered));
      const began = new Date(kickOffMs + minute * MINUTE_MS).toISOString();
      lines.push([sector, began, inBy.get(sector), valid].join(','));
    }
  }
  return `${lines.join('\n')}\n`;
}
