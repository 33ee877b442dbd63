import { MINUTE_MS } from '../../../desk/model/series/minute.ts';
import type { ExpectedAlarm, ExpectedForecast, MatchHistory } from './match-history.ts';
import type { LogLine, PlayedMatch } from './play-history.ts';

const ALARM_KINDS: ReadonlySet<string> = new Set(['alarm', 'alarm-joined', 'alarm-returned', 'alarm-again']);
/** A silence begins at a boundary, and is seen at one. */
const TWO_BOUNDARIES_S = 20;
/** How long before the last entry the ten minutes end, at each boundary: with the boundary behind it. */
const BASE_ENDS_MS = [-10_000, 0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000];

/** What the log says of alarms, held against what it must say. */
export interface ComparedAlarms {
  /** Entries that were expected, each with its delay in seconds of the match. */
  readonly said: readonly string[];
  /** Entries that were not, or not then. */
  readonly wrong: readonly string[];
  readonly missing: readonly string[];
}

export function compareAlarms({ alarms }: MatchHistory, played: PlayedMatch): ComparedAlarms {
  const waiting = [...alarms];
  const said: string[] = [];
  const wrong: string[] = [];
  for (const line of played.log.filter(({ kind }) => ALARM_KINDS.has(kind))) {
    const text = wordsOf(line, played.log);
    const expected = waiting.find((one) => wordsOfExpected(one) === text);
    if (!expected) {
      wrong.push(`${text}, in minute ${((line.atMs - played.kickOffMs) / MINUTE_MS).toFixed(1)}`);
      continue;
    }
    waiting.splice(waiting.indexOf(expected), 1);
    const sinceMs = instantOf(expected, played);
    const delayS = (line.atMs - sinceMs) / 1_000;
    const [from, to] = expected.after === 'window' ? windowOf(expected, sinceMs, played) : expected.after;
    if (delayS >= from && delayS <= to) said.push(`${text}, after ${delayS.toFixed()} s`);
    else wrong.push(`${text}, after ${delayS.toFixed()} s: not ${from.toFixed()} to ${to.toFixed()} s`);
  }
  return { said, wrong, missing: waiting.filter(({ isOptional }) => !isOptional).map(wordsOfExpected) };
}

/** The forecasts of the log that have a range, as they were expected; those of before the first entry are left out. */
export function compareForecasts(
  { forecasts = [] }: MatchHistory,
  { log, kickOffMs, entriesMs }: PlayedMatch,
): readonly Readonly<Record<keyof ExpectedForecast, unknown>>[] {
  const firstMs = Math.min(...[...entriesMs.values()].map(([atMs = Infinity]) => atMs));
  return log
    .filter(({ kind, data, atMs }) => kind === 'forecast' && data['range'] !== null && atMs > firstMs)
    .map(({ id, data }, index) => {
      const outcome = log.find((line) => line.kind === 'outcome' && line.data['forecast'] === id);
      return {
        minutesBefore: data['minutesBefore'],
        kickOff: (Number(data['kickOffAtMs']) - kickOffMs) / MINUTE_MS,
        outcome: outcomeOf(outcome?.data['isHeld'], forecasts[index]?.outcome),
      };
    });
}

function outcomeOf(isHeld: unknown, expected: ExpectedForecast['outcome'] | undefined): string {
  if (isHeld === null) return 'not judged';
  if (typeof isHeld !== 'boolean') return 'no outcome';
  if (expected === 'judged') return expected;
  return isHeld ? 'held' : 'missed';
}

function wordsOfExpected({ kind, rule, sectors, why }: ExpectedAlarm): string {
  return words(kind, rule, sectors, why);
}

function words(kind: string, rule: string, sectors: readonly string[], why: unknown): string {
  const where = sectors.length > 0 ? sectors.toSorted().join('+') : 'ground';
  return [kind, rule, where, ...(typeof why === 'string' ? [why] : [])].join(' ');
}

/** Of an entry about an alarm: its rule, and the sectors that it names by then. */
function wordsOf(line: LogLine, log: readonly LogLine[]): string {
  const raised = log.find(({ id }) => id === (line.kind === 'alarm' ? line.id : line.data['alarm']));
  const joined = log.filter(
    ({ kind, data, atMs }) => kind === 'alarm-joined' && data['alarm'] === raised?.id && atMs <= line.atMs,
  );
  const own = line.kind === 'alarm-joined' ? [line] : raised ? [raised, ...joined] : [];
  return words(line.kind, String(raised?.data['rule']), own.flatMap(sectorsOf), line.data['why']);
}

/** None: the whole ground. */
function sectorsOf({ kind, sector, data }: LogLine): readonly string[] {
  if (sector !== null) return [sector];
  const { sectors = [] } = (kind === 'alarm' ? data['figures'] : data) as {
    readonly sectors?: readonly { readonly sector: string }[];
  };
  return sectors.map((each) => each.sector);
}

function instantOf({ since }: ExpectedAlarm, { kickOffMs, entriesMs, log, deeds }: PlayedMatch): number {
  if ('minute' in since) return kickOffMs + since.minute * MINUTE_MS;
  if ('deed' in since) {
    const doneMs = log.find(({ id }) => id === deeds[since.deed])?.atMs ?? Number.NaN;
    const backMs = log.findLast(({ kind }) => kind === 'started')?.atMs ?? Number.NaN;
    return since.orBackAfterS === undefined ? doneMs : Math.max(doneMs, backMs - since.orBackAfterS * 1_000);
  }
  const entries = entriesMs.get(since.of) ?? [];
  if ('admitted' in since) return entries[since.admitted - 1] ?? Number.NaN;
  return 'lastBefore' in since
    ? (entries.findLast((atMs) => atMs < kickOffMs + since.lastBefore * MINUTE_MS) ?? Number.NaN)
    : (entries.find((atMs) => atMs > kickOffMs + since.firstAfter * MINUTE_MS) ?? Number.NaN);
}

/** W of docs/flow.md, from what was committed: as long as 30 people take at the rate before, two minutes at least. */
function windowOf(
  { sectors }: ExpectedAlarm,
  silenceMs: number,
  { entriesMs }: PlayedMatch,
): [number, number] {
  const entries = entriesMs.get(sectors[0] ?? '') ?? [];
  const tenMinutesTo = (endMs: number): number =>
    entries.filter((atMs) => atMs > endMs - 10 * MINUTE_MS && atMs <= endMs).length / 10;
  // Ten minutes to the last three before the alarm, or to the silence: they end within the minute before that.
  const windowsS = BASE_ENDS_MS.map((ms) => Math.max(2, 30 / tenMinutesTo(silenceMs - ms)) * 60);
  const shortest = Math.min(...windowsS);
  return [shortest - (shortest > 120 ? 10 : 0), Math.max(...windowsS) + TWO_BOUNDARIES_S];
}
