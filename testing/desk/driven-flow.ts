import { performance } from 'node:perf_hooks';
import { pino } from 'pino';
import { vi } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { Freshness, IncompleteCount, SectorDocument } from '../../domain/event-state.ts';
import type { LogKind, LogRow, Source } from '../../desk/model/log/flow-log.ts';
import { MINUTE_MS } from '../../desk/model/series/minute.ts';
import { formatPosition } from '../../domain/log-position.ts';
import type { Sector } from '../../domain/venue.ts';
import { parseIncident } from '../../gates/simulator/incidents.ts';
import type { EventDesk } from '../../desk/flow/event-desk.ts';
import { EventFlow } from '../../desk/flow/event-flow.ts';
import { REAL_TIME } from '../../desk/flow/flow-clock.ts';
import { MemoryRecord } from '../../desk/record/memory-record.ts';
import type { FlowRecord } from '../../desk/record/record.ts';
import type { RecordedHistory } from '../../desk/record/recorded-history.ts';
import type { ObservedTicket } from '../../board/sources/ticket-source.ts';
import { closeOnce } from '../close-once.ts';
import {
  type GeneratedMatch,
  generateMatch,
  type MatchOptions,
} from '../../gates/simulator/generated/generated-match.ts';

/** How often the database's clock is read, as in the field. */
const LOOK_EVERY_MS = 2_000;
const POSITION = formatPosition('1', 1, 0n);

export interface DrivenFlowOptions {
  readonly match: Omit<MatchOptions, 'incidents'> | GeneratedMatch;
  readonly history?: RecordedHistory;
  /** The options of the simulation's command line. */
  readonly incidents?: readonly string[];
  /** Milliseconds since 1970. */
  readonly kickOffMs: number;
  /** The beginning of observation, in minutes from kick-off. */
  readonly fromMinute: number;
  readonly record?: FlowRecord;
  readonly source?: Source;
  readonly documents?: readonly SectorDocument[];
}

/** The flow of an event whose source plays a match as fast as possible. */
export interface DrivenFlow {
  readonly desk: EventDesk;
  /** The freshness of the source, which tests set. */
  freshness: Freshness;
  /** The incomplete counts that were last published to the walls. */
  incomplete: readonly IncompleteCount[] | undefined;
  /** The beginning of the evacuation that was last published to the walls. */
  evacuatedAtMs: number | null;
  /** Plays up to this minute from kick-off; with `isSilent` the source passes nothing on. */
  playTo(minute: number, options?: { readonly isSilent?: boolean }): void;
  /** A new replication session begins: what came before is in its counts, and nobody saw when. */
  reconnect(): void;
  /** These documents of sectors take the place of those before. */
  say(documents: readonly SectorDocument[]): void;
  /** Lets a second pass without entries, after which the source has passed on every earlier commit. */
  settle(): void;
  /** It ends, as with its process. */
  stop(): void;
  /** Minutes from kick-off. */
  minuteOf(atMs: number): number;
  rows<K extends LogKind>(kind: K): readonly Extract<LogRow, { kind: K }>[];
}

/** It moves the monotonic clock and timers: `vi.useRealTimers` and `vi.restoreAllMocks` give them back. */
export function driveFlow(options: DrivenFlowOptions): DrivenFlow {
  let monotonicMs = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => monotonicMs);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { kickOffMs, record = new MemoryRecord(DEFAULT_EVENT_ID), source = 'live' } = options;
  let { documents = [] } = options;
  const incidents = (options.incidents ?? []).map(parseIncident);
  const match =
    'gatesOpenMs' in options.match ? options.match : generateMatch({ ...options.match, incidents });
  const sectors = match.sectors.map(({ code }): Sector => {
    return { code, codes: [code], name: `SETOR ${code}`, stand: code };
  });
  const flow = new EventFlow({
    eventId: DEFAULT_EVENT_ID,
    sectors,
    timeZone: 'America/Sao_Paulo',
    record,
    source,
    version: '1',
    clock: REAL_TIME,
    freshness: () => driven.freshness,
    onIncomplete: (incomplete, evacuatedAtMs) => void Object.assign(driven, { incomplete, evacuatedAtMs }),
    log: pino({ level: 'silent' }),
  });
  let atMs = options.fromMinute * MINUTE_MS;
  const instant = (agoMs = 0) => {
    return { sourceMs: kickOffMs + atMs - agoMs, readAtMs: performance.now() - agoMs };
  };
  /** PostgreSQL's source also takes a commit for visible a second after its time. */
  let verifiedAtMs = monotonicMs;
  const catchUp = (): void => {
    verifiedAtMs = monotonicMs;
    flow.listener.caughtUpTo(instant(1_000));
  };
  const next = match.sectors.map(({ entriesMs }) => entriesMs.findIndex((ms) => ms >= atMs));
  const enter = (code: string, ofMs: number): void => {
    const change = { before: ticket(code, false), after: ticket(code, true) };
    flow.listener.change(change, kickOffMs + ofMs);
    flow.listener.commit(0n);
  };
  const watch = (): void =>
    flow.listener.snapshot({
      epoch: 'epoch',
      position: POSITION,
      replayedMs: null,
      takenAt: instant(),
      groups: match.sectors.flatMap(({ code, valid }, place) => {
        const inside = next[place] ?? 0;
        return [
          { eventId: DEFAULT_EVENT_ID, ticket: ticket(code, true), count: inside },
          { eventId: DEFAULT_EVENT_ID, ticket: ticket(code, false), count: valid - inside },
        ];
      }),
      sectors: new Map([[DEFAULT_EVENT_ID, documents]]),
    });
  const driven: DrivenFlow = {
    desk: flow.desk,
    freshness: { live: true },
    incomplete: undefined,
    evacuatedAtMs: null,
    playTo(minute, { isSilent = false } = {}) {
      while (atMs < minute * MINUTE_MS) {
        const stepMs = Math.min(LOOK_EVERY_MS, minute * MINUTE_MS - atMs);
        atMs += stepMs;
        monotonicMs += stepMs;
        for (const [place, { code, entriesMs }] of isSilent ? [] : match.sectors.entries()) {
          for (let ms = entriesMs[next[place] ?? 0]; ms !== undefined && ms < atMs;) {
            enter(code, ms);
            next[place] = (next[place] ?? 0) + 1;
            ms = entriesMs[next[place] ?? 0];
          }
        }
        // Entries come before the source knows that there are no others.
        vi.advanceTimersByTime(stepMs);
        if (!isSilent) catchUp();
      }
    },
    reconnect() {
      for (const [place, { entriesMs }] of match.sectors.entries())
        next[place] = entriesMs.filter((ms) => ms < atMs).length;
      flow.listener.stale('connecting', verifiedAtMs);
      watch();
    },
    say(changed) {
      documents = changed;
      flow.listener.sectorDocuments(DEFAULT_EVENT_ID, documents);
    },
    settle() {
      atMs += 1_000;
      monotonicMs += 1_000;
      catchUp();
    },
    stop: closeOnce(() => flow.stop()),
    minuteOf: (ms) => (ms - kickOffMs) / MINUTE_MS,
    rows: <K extends LogKind>(kind: K) =>
      flow.desk.log(0).filter((row): row is Extract<LogRow, { kind: K }> => row.kind === kind),
  };
  flow.start();
  if (options.history) flow.setHistory(options.history);
  watch();
  const details = {
    title: 'Palestra × Atlético',
    gatesOpenAtMs: kickOffMs + match.gatesOpenMs,
    kickOffAtMs: kickOffMs,
    timeZone: null,
  };
  flow.listener.metadata(DEFAULT_EVENT_ID, details, POSITION);
  return driven;
}

function ticket(setor: string, entrou: boolean): ObservedTicket {
  return { eventId: DEFAULT_EVENT_ID, setor, entrou, isValidTicket: true };
}
