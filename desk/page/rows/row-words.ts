import { RULE_WORDS } from '../../model/alarms/alarm-words.ts';
import type { Alarm, AlarmRule } from '../../model/alarms/alarm.ts';
import type { SectorState } from '../../model/alarms/evaluation.ts';
import type { DeskState } from '../../model/desk-state.ts';
import { makesIncomplete } from '../../model/log/marks.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { estimatedIn, uncountedMarks, uncountedSpans } from '../../model/log/uncounted.ts';
import { formatAge, formatCount } from '../../../page/design/number-format.ts';
import { shownRule } from '../alarms/alarm-sentence.ts';
import { hasResumed } from '../alarms/has-resumed.ts';
import { isMarked } from '../is-marked.ts';
import { GROUND_NAME, sectorName } from '../actions/sector-name.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import { formatRate, formatShare } from '../figure-format.ts';
import { spanWords } from '../span-words.ts';
import { suspendedWords } from './suspended-words.ts';
import { staleSinceMs } from '../stale-since.ts';
import { describeIncomplete, isRateAtLeast } from '../caveats.ts';

/** The texts of a row. Rates and states are current; stale ones are not displayed. */
export interface RowWords {
  /** '' for the others. */
  readonly code: string;
  readonly name: string;
  readonly admitted: string;
  /** "52%" and "de 3.600", the end of the bar; null without an end. */
  readonly share: { readonly percent: string; readonly of: string } | null;
  /** People passed uncounted, so the count is a lower bound. */
  readonly isAtLeast: boolean;
  /** People passed uncounted in the minutes of the rates. */
  readonly isRateAtLeast: boolean;
  /** The filled part of the bar from 0 to 1; null without an end. */
  readonly bar: number | null;
  readonly lastMinute: string;
  readonly lastFive: string;
  readonly states: readonly RowState[];
  readonly caveats: readonly string[];
}

interface RowState {
  /** The rule whose shape stands before the words. */
  readonly rule: AlarmRule | null;
  readonly words: string;
  readonly isAlarm: boolean;
}

type Row = DeskState['rows'][number];

const UNKNOWN = '–';

/** A pause of this length is not mentioned. */
const QUIET_MS = 2 * MINUTE_MS;

/** The venue's rows in order, and the others at the end if there are any. */
export function rowWords(view: DeskView): readonly RowWords[] {
  const isStale = staleSinceMs(view) !== null;
  return view.state.rows
    .filter(({ code, admitted }) => code !== '' || admitted > 0)
    .map((row) => {
      const estimated = estimateOfCapacity(view, row);
      return {
        code: row.code,
        name: sectorName(view.sectors, row.code),
        admitted: formatCount(row.admitted),
        share: shareWords(row, estimated),
        isAtLeast: describeIncomplete(view, row.code) !== null,
        isRateAtLeast: isRateAtLeast(view, row.code),
        bar: barOf(row, row.admitted + estimated),
        lastMinute: isStale ? UNKNOWN : rateWords(row.lastMinute),
        lastFive: isStale ? UNKNOWN : rateWords(row.lastFive),
        states: statesOf(view, row, isStale),
        caveats: caveatsOf(view, row.code),
      };
    });
}

/** The position of a count on the row's bar, which ends at the permitted capacity, or else at the valid tickets. */
export function barOf({ capacity, valid }: Pick<Row, 'capacity' | 'valid'>, count: number): number | null {
  const end = capacity ?? valid;
  return end > 0 ? Math.min(1, Math.max(0, count / end)) : null;
}

/** The share of a permitted capacity counts the estimate, as its alarms do; that of the valid tickets does not. */
function estimateOfCapacity({ state }: DeskView, { code, capacity }: Row): number {
  return capacity === null ? 0 : (estimatedIn(uncountedMarks(state.marks, code), code) ?? 0);
}

/** "~101%" with an estimate. */
function shareWords({ admitted, valid, capacity }: Row, estimated: number): RowWords['share'] {
  const end = capacity ?? valid;
  const percent = formatShare(admitted + estimated, end);
  return percent === null
    ? null
    : { percent: `${estimated > 0 ? '~' : ''}${percent}`, of: `de ${formatCount(end)}` };
}

function rateWords(perMinute: number | null): string {
  return perMinute === null ? UNKNOWN : formatRate(perMinute);
}

function statesOf(view: DeskView, row: Row, isStale: boolean): readonly RowState[] {
  const { alarms, evacuatedAtMs } = view.state;
  // During an evacuation no alarm calls.
  const open = evacuatedAtMs === null ? alarms : [];
  const active = open.filter((alarm) => alarm.returnedAtMs === null && isAbout(alarm, row.code));
  const capacity = active
    .filter(({ rule }) => rule.endsWith('capacity'))
    .map((alarm) => shownRule(alarm, view))
    .map((rule) => ({ rule, words: RULE_WORDS[rule], isAlarm: true }));
  const flow = isStale ? null : flowState(view, row, active);
  return flow ? [flow, ...capacity] : capacity;
}

function flowState(view: DeskView, row: Row, active: readonly Alarm[]): RowState | null {
  const alarm = active.find(({ rule }) => !rule.endsWith('capacity'));
  const isAlarm = alarm !== undefined;
  // The silence begins as on the alarm's card, unless somebody has entered since.
  const alarmMs = alarmSinceMs(alarm, row.code);
  const silentSinceMs =
    alarmMs === -Infinity ? lastEntryMs(view, row) : Math.max(row.lastEntryAtMs ?? -Infinity, alarmMs);
  const silentMs = silentSinceMs === -Infinity ? null : view.state.nowMs - silentSinceMs;
  const since = silentMs === null || silentMs < MINUTE_MS ? '' : ` há ${formatAge(silentMs)}`;
  const state = shownState(view.state, row);
  if (state === 'stopped') return { rule: 'stopped', words: `sem acessos${since}`, isAlarm };
  if (state === 'dropped') return { rule: 'dropped', words: 'em queda', isAlarm };
  if (isUnverified(view, row)) return { rule: null, words: 'sem como verificar', isAlarm: false };
  // Where nothing is wrong, or the rules are not applied, the words must not read like a stop.
  const mayBeWell = state === 'quiet' || view.state.watch.waits !== null;
  const isQuiet = mayBeWell && silentMs !== null && silentMs >= QUIET_MS;
  return isQuiet ? { rule: null, words: `último acesso${since}`, isAlarm: false } : null;
}

/** The last entry; of one that is known by its minute, as after a restart and in replay, the end of that, which it was before. */
function lastEntryMs({ minutes }: DeskView, { lastEntryAtMs }: Row): number {
  const isOfMinute = minutes.some(({ minuteMs }) => minuteMs === lastEntryAtMs);
  return (lastEntryAtMs ?? -Infinity) + (isOfMinute ? MINUTE_MS - 1 : 0);
}

/** Since when nobody entered by this alarm; `-Infinity` for other alarms. */
function alarmSinceMs(alarm: Alarm | undefined, code: string): number {
  if (alarm?.rule === 'stopped') return alarm.figures.silentSinceMs;
  if (alarm?.rule !== 'several-stopped') return -Infinity;
  return alarm.figures.sectors.find(({ sector }) => sector === code)?.silentSinceMs ?? -Infinity;
}

/**
 * The state as it is displayed. Of a sector that the rules cannot verify, too little was observed: an active alarm stays, and
 * where people enter nothing has to be verified.
 */
export function shownState(state: DeskState, row: Row): SectorState {
  const { waits } = state.watch;
  const isWatched = waits === null || waits === 'not-live';
  if (row.state !== 'unknown' || !isWatched || isMarked(state, row.code)) return row.state;
  const alarm = state.alarms.find(
    (each) => each.returnedAtMs === null && !each.rule.endsWith('capacity') && isAbout(each, row.code),
  );
  if (alarm?.rule === 'dropped') return 'dropped';
  const silentSinceMs = alarmSinceMs(alarm, row.code);
  if (alarm) return hasResumed(row, { silentSinceMs, nowMs: state.nowMs }) ? 'flowing' : 'stopped';
  const hasEntries = row.lastEntryAtMs !== null && state.nowMs - row.lastEntryAtMs < QUIET_MS;
  return waits === null && hasEntries ? 'flowing' : 'unknown';
}

/** Nobody enters, and neither the rules nor a mark say why. */
function isUnverified({ state }: DeskView, row: Row): boolean {
  const isUnexplained = state.watch.waits === null && !isMarked(state, row.code);
  return isUnexplained && row.valid > 0 && shownState(state, row) === 'unknown';
}

/** Whether a row where people entered has none now, by a rule or because no rule can verify it. */
export function hasNoneNow(view: DeskView, row: Row): boolean {
  if (shownState(view.state, row) === 'stopped') return true;
  return row.lastEntryAtMs !== null && isUnverified(view, row);
}

function isAbout(alarm: Alarm, code: string): boolean {
  if (alarm.rule === 'several-stopped') return alarm.figures.sectors.some(({ sector }) => sector === code);
  return alarm.sector === code;
}

/** Marks on the whole ground concern every row, and are stated once. */
export function groundCaveats(view: DeskView): readonly string[] {
  return caveatsOf(view, null).map((caveat) => `${GROUND_NAME}: ${caveat}`);
}

/** Estimates stand beside the total. */
function caveatsOf(view: DeskView, code: string | null): readonly string[] {
  const { marks, timeZone } = view.state;
  const ofRow = marks.filter(({ sector }) => sector === code);
  const uncounted = uncountedSpans(ofRow.filter(({ mark }) => makesIncomplete(mark)));
  const suspended = ofRow.find(({ mark }) => mark === 'suspended');
  return [
    ...(uncounted.length === 0
      ? []
      : [`contagem incompleta ${spanWords(uncounted, (atMs) => formatTime(atMs, timeZone))}`]),
    ...(suspended ? [suspendedWords(view, code, suspended.sinceMs)] : []),
  ];
}
