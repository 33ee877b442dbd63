import { type EarlierMatch, readEarlierMatch } from '../../../desk/model/forecast/earlier-match.ts';
import { MINUTE_MS } from '../../../desk/model/series/minute.ts';
import type { RecordedHistory } from '../../../desk/record/recorded-history.ts';
import { normal, seededRandom } from '../../../gates/simulator/generated/random.ts';
import { recordedMatch, type RecordedSector } from '../../../testing/desk/recorded-match.ts';
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

const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
/** Of the record: from more than an hour before kick-off to more than half an hour after. */
const [FROM, UNTIL] = [-70, 40];

/** Nine matches of this crowd, a week apart. */
export function earlierMatches(kickOffMs: number): RecordedHistory {
  const matches = MATCHES.map(([comes, late], index): EarlierMatch => {
    const recorded = recordedMatch({
      eventId: `earlier ${index}`,
      kickOffAtMs: kickOffMs - (index + 1) * WEEK_MS,
      fromMin: FROM,
      toMin: UNTIL,
      sectors: [...admissions(comes, late, index), { code: '', valid: 0, admittedAt: () => 0 }],
    });
    const match = readEarlierMatch(recorded);
    if ('unfit' in match) throw new Error(match.unfit);
    return match;
  });
  return { matches, trackRecord: [] };
}

function admissions(comes: number, late: number, seed: number): RecordedSector[] {
  const random = seededRandom(1_000 + seed);
  const tickets = ticketsOf({ opensAt: -60, endsAt: 16, crowd: USUAL, peaks: PEAKS, comes: 0.88, seed });
  const inBy = new Map([...tickets.keys()].map((code) => [code, [0]]));
  let wander = 0;
  for (let minute = FROM; minute < UNTIL; minute += 1) {
    wander = 0.8 * wander + 0.08 * normal(random);
    const planned = comingBy(USUAL, minute + 1 - late) - comingBy(USUAL, minute - late);
    for (const [code, valid] of tickets) {
      const mean = ((planned * valid * comes) / comingBy(USUAL, Infinity)) * Math.exp(wander);
      const entered = Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
      const counts = inBy.get(code);
      counts?.push(Math.min(valid, (counts.at(-1) ?? 0) + entered));
    }
  }
  return [...tickets].map(([code, valid]) => ({
    code,
    valid,
    admittedAt: (minute) => inBy.get(code)?.[minute - FROM] ?? 0,
  }));
}
