import type { Alarm, AlarmRule, DroppedFigures } from '../../model/alarms/alarm.ts';
import { lastReadMs, RULE_WORDS } from '../../model/alarms/alarm-words.ts';
import type { SeveralStopped } from '../../model/alarms/several-stopped.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import { listNames, sectorName } from '../actions/sector-name.ts';
import { isMarked } from '../is-marked.ts';
import { contactOf, FEW_NAMES, MAX_NAMES, stoppedSectors } from './alarm-contact.ts';
import { estimateOf, fullSentence } from './capacity-sentence.ts';
import {
  figuresAtMs,
  figuresOf,
  isLive,
  minutesSince,
  type SentenceView,
  sinceWhen,
  time,
  untilKnown,
} from './sentence-words.ts';

type AlarmOf<R extends Alarm['rule']> = Extract<Alarm, { rule: R }>;

/** "sem acessos registrados · SUL DORIL". */
export function alarmTitle(
  alarm: Pick<Alarm, 'rule' | 'sector' | 'returnedAtMs'>,
  view: SentenceView,
): string {
  const sector = alarmSector(alarm, view);
  const words = RULE_WORDS[shownRule(alarm, view)];
  return sector === null ? words : `${words} · ${sector}`;
}

/** Figures are of this second, and rules of the last ten: where more are in than permitted, no title says less. */
export function shownRule(
  alarm: Pick<Alarm, 'rule' | 'sector' | 'returnedAtMs'>,
  view: Pick<SentenceView, 'state'>,
): AlarmRule {
  const { capacity = null, admitted = 0 } = figuresOf(alarm, view) ?? {};
  const inside = admitted + (estimateOf(alarm, view) ?? 0);
  const isAbove = alarm.rule.endsWith('-capacity') && capacity !== null && inside > capacity;
  return isAbove && alarm.returnedAtMs === null ? 'above-capacity' : alarm.rule;
}

/** "SUL DORIL"; null for a rule that concerns no single sector. */
export function alarmSector(
  { rule, sector }: Pick<Alarm, 'rule' | 'sector'>,
  view: SentenceView,
): string | null {
  return rule === 'several-stopped' || rule === 'no-data' ? null : sectorName(view.sectors, sector);
}

/** Describes an alarm with its figures, and states nothing about minutes that were not observed. */
export function alarmSentence(alarm: Alarm, view: SentenceView): string {
  switch (alarm.rule) {
    case 'stopped':
      return stopped(alarm, view);
    case 'several-stopped':
      return severalStopped(alarm, view);
    case 'dropped':
    case 'ground-dropped':
      return dropped(alarm, view);
    case 'no-data':
      return noData(alarm, view);
    default:
      return fullSentence(alarm, view);
  }
}

/** Describes an alarm on one line, for a dense list. */
export function shortSentence(alarm: Alarm, view: SentenceView): string {
  if (alarm.returnedAtMs !== null || !isLive(view)) return alarmSentence(alarm, view);
  switch (alarm.rule) {
    case 'stopped': {
      const { silentSinceMs, before } = alarm.figures;
      if (hasEntrySince(alarm, view)) return alarmSentence(alarm, view);
      const missing = formatCount(before * minutesSince(silentSinceMs, view));
      return `${sinceWhen(silentSinceMs, view)}; seriam cerca de ${missing}`;
    }
    case 'several-stopped': {
      const sectors = stoppedSectors(alarm, view);
      if (sectors.length === 0) return severalStopped(alarm, view);
      const words = `${countedSectors(sectors.length)}${sinceFirst(alarm, view)}`;
      // Whom to call names them.
      if (sectors.every(({ sector }) => contactOf(sector, view))) return words;
      return `${words}: ${listNames(namesOf(alarm, view), FEW_NAMES)}`;
    }
    case 'dropped':
    case 'ground-dropped': {
      if (!alarm.now) return alarmSentence(alarm, view);
      const { entered, expected } = perMinute(alarm.now);
      return `agora ${entered} por minuto${without(alarm, alarm.now, view, view.state.nowMs)}; seriam cerca de ${expected}`;
    }
    default:
      return alarmSentence(alarm, view);
  }
}

/** Whether a few people have entered since, which does not end the alarm. */
function hasEntrySince(alarm: AlarmOf<'stopped'>, view: SentenceView): boolean {
  return (figuresOf(alarm, view)?.lastEntryAtMs ?? 0) > alarm.figures.silentSinceMs;
}

function stopped(alarm: AlarmOf<'stopped'>, view: SentenceView): string {
  const { silentSinceMs, before } = alarm.figures;
  const since = time(lastReadMs(silentSinceMs), view);
  if (alarm.returnedAtMs !== null) {
    if (!hasEntrySince(alarm, view)) return `Nenhum acesso registrado desde ${since}.`;
    // A mark, or the end of entry, ends an alarm while nobody enters.
    const least = alarm.returnedWhy === 'resolved' ? '' : 'pelo menos ';
    return `Nenhum acesso registrado desde ${since}, ${least}até as ${time(alarm.returnedAtMs, view)}.`;
  }
  const lastEntryAtMs = figuresOf(alarm, view)?.lastEntryAtMs ?? 0;
  if (hasEntrySince(alarm, view)) {
    const more = (figuresOf(alarm, view)?.admitted ?? 0) - alarm.figures.admitted;
    const count = more > 0 ? countedEntries(more) : 'Poucos acessos registrados';
    return `${count} desde ${since}; o último, às ${time(lastEntryAtMs, view)}.`;
  }
  if (!isLive(view)) return `Nenhum acesso registrado desde ${since}${untilKnown(view)}.`;
  const missing = formatCount(before * minutesSince(silentSinceMs, view));
  return `Nenhum acesso registrado ${sinceWhen(silentSinceMs, view)}; no ritmo de antes seriam cerca de ${missing}.`;
}

function noData(alarm: AlarmOf<'no-data'>, view: SentenceView): string {
  const since = `A contagem parou às ${time(figuresAtMs(alarm) - alarm.figures.staleMs, view)}`;
  if (alarm.returnedAtMs !== null) return `${since}.`;
  if (isLive(view)) return `${since} e acaba de voltar.`;
  return `${since}; dos acessos desde então nada se sabe.`;
}

function severalStopped(alarm: SeveralStopped, view: SentenceView): string {
  const names = namesOf(alarm, view);
  if (names.length === 0) {
    const { sectors } = alarm.figures;
    const marked = sectors.filter(({ sector }) => isMarked(view.state, sector)).length;
    const why = marked === 0 ? 'entra gente de novo' : 'entra gente de novo, ou há marca';
    return `Nenhum dos ${sectors.length} setores continua sem acessos: ${why}.`;
  }
  const since = sinceFirst(alarm, view);
  return `${countedSectors(names.length)} sem acesso registrado${since}: ${listNames(names, MAX_NAMES)}.`;
}

function countedEntries(count: number): string {
  return count === 1 ? '1 acesso registrado' : `${formatCount(count)} acessos registrados`;
}

function countedSectors(count: number): string {
  return `${count} ${count === 1 ? 'setor' : 'setores'}`;
}

/** " desde 18:33, há 3 min" where it is the same minute for all, else ", o primeiro desde 18:33, há 3 min". */
function sinceFirst(alarm: SeveralStopped, view: SentenceView): string {
  const sinceMs = stoppedSectors(alarm, view).map(({ silentSinceMs }) => silentSinceMs);
  const firstMs = Math.min(...sinceMs);
  const since = `desde ${time(lastReadMs(firstMs), view)}`;
  const isOne = new Set(sinceMs.map((ms) => time(lastReadMs(ms), view))).size === 1;
  const until = isLive(view) ? `, há ${minutesSince(firstMs, view)} min` : untilKnown(view);
  return `${isOne ? ' ' : ', o primeiro '}${since}${alarm.returnedAtMs === null ? until : ''}`;
}

function namesOf(alarm: SeveralStopped, view: SentenceView): readonly string[] {
  return stoppedSectors(alarm, view).map(({ sector }) => sectorName(view.sectors, sector));
}

function dropped(alarm: AlarmOf<'dropped' | 'ground-dropped'>, view: SentenceView): string {
  const compared = alarm.rule === 'dropped' ? 'no ritmo de antes e dos outros setores' : 'no ritmo de antes';
  const then = perMinute(alarm.figures);
  const raisedAtMs = figuresAtMs(alarm);
  const whole = without(alarm, alarm.figures, view, raisedAtMs);
  const raised = `${then.entered} por minuto às ${time(raisedAtMs, view)}${whole}; ${compared} seriam cerca de ${then.expected}.`;
  if (alarm.returnedAtMs !== null || !isLive(view) || !alarm.now) return raised;
  const now = perMinute(alarm.now);
  const left = without(alarm, alarm.now, view, view.state.nowMs);
  return `${raised} Agora${left === whole ? '' : left}: ${now.entered}; seriam ${now.expected}.`;
}

function perMinute({ entered, expected, windowMs }: DroppedFigures) {
  const rate = (count: number) => formatCount(count / (windowMs / MINUTE_MS));
  return { entered: rate(entered), expected: rate(expected) };
}

/**
 * ", sem NORTE (marcado) nem SUL DORIL (marcado antes)": the sectors of which the ground's figures know nothing, as a mark stood
 * at that time or had ended within the compared minutes.
 */
function without(
  { rule }: Alarm,
  { bySector }: DroppedFigures,
  { state, sectors }: SentenceView,
  atMs: number,
): string {
  if (rule !== 'ground-dropped' || !bySector) return '';
  const left = state.rows.filter(({ code }) => !(code in bySector));
  const standing = state.marks.filter(({ endedAtMs = Infinity }) => endedAtMs > atMs);
  const wasMarked = (code: string) => standing.some(({ sector }) => sector === null || sector === code);
  const parts = [left.filter(({ code }) => wasMarked(code)), left.filter(({ code }) => !wasMarked(code))].map(
    (rows, place) => {
      const names = rows.map(({ code }) => sectorName(sectors, code));
      const marked = `marcado${names.length === 1 ? '' : 's'}${place === 0 ? '' : ' antes'}`;
      return names.length === 0 ? '' : `${listNames(names, MAX_NAMES)} (${marked})`;
    },
  );
  return left.length === 0 ? '' : `, sem ${parts.filter(Boolean).join(' nem ')}`;
}
