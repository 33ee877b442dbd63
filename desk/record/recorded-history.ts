import type postgres from 'postgres';
import { type EarlierMatch, readEarlierMatch, type RecordedCount } from '../model/forecast/earlier-match.ts';
import { crowdKickOffMs } from '../model/forecast/crowd-kick-off.ts';
import { CURVE_FROM_MIN, CURVE_TO_MIN, MAX_MATCHES } from '../model/forecast/limits.ts';
import { readTrackRecord, type TrackRecord } from '../model/forecast/track-record.ts';
import type { LogKind, LogRow, Source } from '../model/log/flow-log.ts';
import { readLogState } from '../model/log/log-state.ts';
import { MINUTE_MS } from '../model/series/minute.ts';

/** Earlier matches in the record. */
export interface RecordedHistory {
  /** The matches that forecasts can use, in any order. */
  readonly matches: readonly EarlierMatch[];
  readonly trackRecord: readonly TrackRecord[];
}

export interface RecordedHistoryOptions {
  /** Today's event, which is left out. */
  readonly eventId: string;
  /** Simulated matches serve simulated events only, and real ones real events. */
  readonly isSimulated: boolean;
  /** Reads kick-offs that the record lacks from the events' metadata, in milliseconds since 1970. */
  readonly kickOffsOf: (eventIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}

/** The entries that describe a match and its times. */
const MATCH_KINDS: readonly LogKind[] = [
  'times',
  'kick-off',
  'mark',
  'entry-closed',
  'evacuation',
  'take-back',
  'import',
  'forecast',
  'outcome',
];
/** Some of the newest matches may not be usable. */
const MAX_READ_MATCHES = 2 * MAX_MATCHES;
/** The curve of a match that began longer ago gets no more minutes. */
const CLOSED_AFTER_MS = (CURVE_TO_MIN + 60) * MINUTE_MS;

interface Recorded {
  /** The `seq` of its newest row. */
  readonly seq: number;
  readonly log: readonly LogRow[];
  readonly source: Source;
  /** The `import_id` of its minutes. */
  readonly importId: string;
  readonly kickOffAtMs: number | null;
}

interface ReadMatch {
  /** Identifies the contents that it was read from. */
  readonly of: string;
  /** `undefined` if no forecast can use it. */
  readonly match: EarlierMatch | undefined;
}

/** Reads other events from the record; unchanged ones are not read again. */
export class RecordedHistoryReader {
  readonly #options: RecordedHistoryOptions;
  #events = new Map<string, Recorded>();
  #matches = new Map<string, ReadMatch>();

  constructor(options: RecordedHistoryOptions) {
    this.#options = options;
  }

  /** Returns `undefined` if nothing has changed. `sql` may read the record; `nowMs` is milliseconds since 1970. */
  async read(sql: postgres.Sql, nowMs: number): Promise<RecordedHistory | undefined> {
    const newest = await this.#readEvents(sql, nowMs);
    const matches = new Map<string, ReadMatch>();
    let isNew = newest.length !== this.#matches.size;
    for (const [eventId, event] of newest) {
      const of = `${event.seq} ${event.kickOffAtMs}`;
      const isClosed = nowMs > (event.kickOffAtMs ?? 0) + CLOSED_AFTER_MS;
      const known = this.#matches.get(eventId);
      if (known?.of === of && isClosed) {
        matches.set(eventId, known);
      } else {
        matches.set(eventId, { of, match: await readMatch(sql, eventId, event) });
        isNew = true;
      }
    }
    this.#matches = matches;
    if (!isNew) return undefined;
    const logs = [...this.#events.values()].map(({ log }) => log);
    return {
      matches: [...matches.values()].flatMap(({ match }) => match ?? []),
      trackRecord: readTrackRecord(logs, this.#options.isSimulated),
    };
  }

  /** Returns the newest events that have begun. */
  async #readEvents(sql: postgres.Sql, nowMs: number): Promise<readonly (readonly [string, Recorded])[]> {
    const { eventId: today } = this.#options;
    const events = new Map<string, Recorded>();
    for (const { eventId, seq } of await readNewestRows(sql)) {
      if (eventId === today) continue;
      const known = this.#events.get(eventId);
      if (known?.seq === seq) {
        events.set(eventId, known);
        continue;
      }
      const recorded = await this.#readEvent(sql, eventId, seq);
      if (recorded) events.set(eventId, recorded);
    }
    this.#events = await this.#withKickOffs(events);
    return [...this.#events]
      .filter(([, { kickOffAtMs }]) => kickOffAtMs !== null && kickOffAtMs < nowMs)
      .toSorted(([, a], [, b]) => (b.kickOffAtMs ?? 0) - (a.kickOffAtMs ?? 0))
      .slice(0, MAX_READ_MATCHES);
  }

  async #readEvent(sql: postgres.Sql, eventId: string, seq: number): Promise<Recorded | undefined> {
    const log = await readLog(sql, eventId);
    const state = readLogState(log);
    const active = log.findLast(({ kind, id }) => kind === 'import' && state.activeIds.has(id));
    const kickOffAtMs = crowdKickOffMs(state);
    const head = { seq, log, kickOffAtMs };
    if (this.#options.isSimulated) return { ...head, source: 'simulated', importId: '' };
    // Observed minutes are exact: an import of the same match is not needed.
    if (await hasMinutes(sql, eventId, 'live')) return { ...head, source: 'live', importId: '' };
    return active && { ...head, source: 'import', importId: active.id };
  }

  async #withKickOffs(events: ReadonlyMap<string, Recorded>): Promise<Map<string, Recorded>> {
    const without = [...events].filter(([, { kickOffAtMs }]) => kickOffAtMs === null).map(([id]) => id);
    const kickOffs = without.length === 0 ? new Map() : await this.#options.kickOffsOf(without);
    return new Map(
      [...events].map(([id, event]) => {
        const kickOffAtMs = event.kickOffAtMs ?? (kickOffs.get(id) as number | undefined) ?? null;
        return [id, Object.assign({}, event, { kickOffAtMs })] as const;
      }),
    );
  }
}

/** Reads the newest row of each event, without scanning the rows between. */
function readNewestRows(sql: postgres.Sql): Promise<{ eventId: string; seq: number }[]> {
  return sql`
    with recursive events as (
      (select event_id from triagem.log order by event_id limit 1)
      union all
      select (select l.event_id from triagem.log l where l.event_id > e.event_id order by l.event_id limit 1)
      from events e where e.event_id is not null)
    select event_id as "eventId",
      (select l.seq from triagem.log l where l.event_id = e.event_id order by l.seq desc limit 1)::float8 as seq
    from events e where event_id is not null`;
}

function readLog(sql: postgres.Sql, eventId: string): Promise<LogRow[]> {
  return sql`
    select seq::float8 as seq, id, (extract(epoch from at) * 1000)::float8 as "atMs", source, by_name as by, sector,
      kind, data, figures, previous
    from triagem.log
    where event_id = ${eventId} and kind in ${sql(MATCH_KINDS)}
    order by seq`;
}

async function hasMinutes(sql: postgres.Sql, eventId: string, source: Source): Promise<boolean> {
  const rows = await sql`
    select from triagem.minutes where event_id = ${eventId} and source = ${source} limit 1`;
  return rows.length > 0;
}

/** `undefined` if no forecast can use it. */
async function readMatch(
  sql: postgres.Sql,
  eventId: string,
  { source, importId, log, kickOffAtMs }: Recorded,
): Promise<EarlierMatch | undefined> {
  const fromS = ((kickOffAtMs ?? 0) - (CURVE_FROM_MIN + 1) * MINUTE_MS) / 1_000;
  const toS = ((kickOffAtMs ?? 0) + (CURVE_TO_MIN + 1) * MINUTE_MS) / 1_000;
  const sectors = await sql<{ sector: string; minutes: number[][] }[]>`
    select sector, json_agg(json_build_array(extract(epoch from minute)::bigint, admitted, net, valid, lots + coalesce(moved, 0))
      order by minute) as minutes
    from triagem.minutes
    where event_id = ${eventId} and source = ${source} and import_id = ${importId}
      and minute between to_timestamp(${fromS}) and to_timestamp(${toS})
    group by sector`;
  const counts = sectors.flatMap(({ sector, minutes }): RecordedCount[] =>
    minutes.map(([at = 0, admitted = 0, net = 0, valid = 0, lots = 0]) => {
      return { sector, minuteMs: at * 1_000, admitted, net, valid, lots };
    }),
  );
  const match = readEarlierMatch({ eventId, source, counts, log, kickOffAtMs });
  return 'unfit' in match ? undefined : match;
}
