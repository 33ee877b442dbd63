import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import type { DeskCommand } from '../../../desk/model/log/desk-command.ts';
import type { LogKind, LogRow } from '../../../desk/model/log/flow-log.ts';
import { type Minute, MINUTE_MS } from '../../../desk/model/series/minute.ts';
import { MemoryRecord } from '../../../desk/record/memory-record.ts';
import type { RecordListener } from '../../../desk/record/record.ts';
import { driveFlow, type DrivenFlow } from '../../../testing/desk/driven-flow.ts';
import { earlierMatches } from './earlier-matches.ts';
import type { Deed, MatchHistory } from './match-history.ts';
import { planCommits, ticketsOf } from './planned-match.ts';

const KICK_OFF_MS = Date.UTC(2026, 10, 22, 20);
/** Observation begins this long before the gates open, and ends this long after the last entry. */
const MARGIN_MIN = 1;
const AWAY_MIN = 0.5;
const STEP_MIN = 1 / 6;

/** A row of the log. */
export type LogLine = Pick<LogRow, 'id' | 'atMs' | 'sector'> & {
  readonly kind: LogKind;
  readonly data: Readonly<Record<string, unknown>>;
};

/** A match that is over. */
export interface PlayedMatch {
  readonly kickOffMs: number;
  readonly log: readonly LogLine[];
  /** When each ticket entered, by sector, in order. */
  readonly entriesMs: ReadonlyMap<string, readonly number[]>;
  /** The ids of the entries that the deeds made, by their numbers. */
  readonly deeds: readonly (string | undefined)[];
}

/** Plays a history to the flow of a desk, which is ended and started anew where the history says so. */
export async function playHistory(history: MatchHistory): Promise<PlayedMatch> {
  const { match, deeds = [], capacities = {}, hasEarlierMatches = false } = history;
  const entriesMs = new Map([...ticketsOf(match).keys()].map((code) => [code, [] as number[]]));
  for (const { minute, commits } of planCommits(match)) {
    // The commits of a step have its last ten milliseconds.
    const atMs = minute * MINUTE_MS - 10;
    for (const id of commits.flat()) entriesMs.get(id.split('-')[0] ?? '')?.push(atMs);
  }
  const record = new LastingRecord(DEFAULT_EVENT_ID);
  const open = (fromMinute: number): DrivenFlow =>
    driveFlow({
      match: {
        gatesOpenMs: match.opensAt * MINUTE_MS,
        sectors: [...ticketsOf(match)].map(([code, valid]) => ({
          code,
          valid,
          entriesMs: Float64Array.from(entriesMs.get(code) ?? []),
          lateBatches: [],
        })),
      },
      kickOffMs: KICK_OFF_MS,
      fromMinute,
      record,
      documents: Object.entries(capacities).map(([code, capacity]) => ({ code, data: { capacity } })),
      ...(hasEarlierMatches && { history: earlierMatches(KICK_OFF_MS) }),
    });
  let flow = open(match.opensAt - MARGIN_MIN);
  const ids: (string | undefined)[] = [];
  for (const deed of deeds) {
    flow.playTo(deed.at);
    if ('restarts' in deed) {
      flow.stop();
      flow = open(deed.at + AWAY_MIN);
      ids.push(undefined);
      continue;
    }
    const id = crypto.randomUUID();
    await flow.desk.command({ ...commandOf(deed, flow), id } as DeskCommand, 'Ana Lúcia');
    ids.push(id);
  }
  flow.playTo(match.endsAt + MARGIN_MIN);
  return {
    kickOffMs: KICK_OFF_MS,
    log: flow.desk.log(0) as readonly LogLine[],
    entriesMs: new Map([...entriesMs].map(([code, all]) => [code, all.map((ms) => KICK_OFF_MS + ms)])),
    deeds: ids,
  };
}

function commandOf(
  deed: Exclude<Deed, { readonly restarts: true }>,
  flow: DrivenFlow,
): Readonly<Record<string, unknown>> {
  if ('says' in deed) return deed.says;
  if ('putsKickOffTo' in deed)
    return { kind: 'kick-off', kickOffAtMs: KICK_OFF_MS + deed.putsKickOffTo * MINUTE_MS };
  if ('ends' in deed) return { kind: 'take-back', entryId: flow.rows(deed.ends).at(-1)?.id, why: 'ended' };
  const find = () => flow.rows('alarm').findLast(({ sector }) => sector === deed.acknowledges);
  for (let minute = deed.at; !find(); minute += STEP_MIN) flow.playTo(minute);
  return { kind: 'acknowledge', alarm: find()?.id, note: 'alguém vai lá' };
}

/** What it has recorded outlives the flow that recorded it. */
class LastingRecord extends MemoryRecord {
  readonly #minutes: Minute[] = [];
  readonly #log: LogRow[] = [];

  override run(listener: RecordListener): void {
    super.run({
      ...listener,
      loaded: () => listener.loaded({ minutes: [...this.#minutes], log: [...this.#log] }),
      rows: (log, minutes) => {
        this.#log.push(...log);
        this.#minutes.push(...minutes);
        listener.rows(log, minutes);
      },
    });
  }
}
