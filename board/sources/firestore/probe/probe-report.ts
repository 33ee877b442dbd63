import { SOURCE_STALE_MS } from '../../../../domain/freshness.ts';
import type { ProbeFindings, Resumption } from './probe-findings.ts';

const YES_OR_NO = { true: 'yes', false: 'no' } as const;

/** A report that names nobody and nothing, and does not tell how many tickets there are. */
export function reportOf(findings: ProbeFindings, versions: string): string {
  const { isEmulator, isAccount, seconds, firstReadingMs, probes, idle, counts, reads } = findings;
  const problems = problemsOf(findings);
  const lines = [
    ['probed', `${isEmulator ? 'an emulator' : "Google's service"}, for ${seconds} s`],
    [
      'as',
      isAccount
        ? 'an account of the project, which its rules apply to'
        : 'a service account or owner, which no rule applies to',
    ],
    ['versions', versions],
    [
      'first reading',
      firstReadingMs === undefined ? 'none' : `all tickets after ${secondsOf(firstReadingMs)}`,
    ],
    ['probes', probesText(probes)],
    ['heartbeats', heartbeatsText(idle)],
    ['resume token', resumptionText(findings.resumption)],
    ['count() at a read time', countsText(counts)],
    ['rules', allowedText(findings)],
    ['streams that ended', findings.ends.join(', ') || 'none'],
    [
      'reads',
      `each ticket once and at each change, what was sent again, ${reads.others} of other documents, ${reads.probes} of probes, and ` +
        'one for each started thousand of what was counted',
    ],
    ['result', problems.length === 0 ? 'a board can follow this project' : problems.join('; ')],
  ] as const;
  return `${lines.map(([name, text]) => `${name}: ${text}`).join('\n')}\n`;
}

/** Why a board could not follow this project; empty: nothing was found. */
export function problemsOf({ targets, probes, counts }: ProbeFindings): string[] {
  if (targets.tickets === 'refused') return ['the tickets may not be read'];
  const problems: string[] = [];
  const isLate = lateOf(probes) + probes.unanswered > 0;
  if (isLate && counts.tookMs.length === 0)
    problems.push('neither probes nor counts are answered in time, so that no count could be live for long');
  if (counts.different > 0)
    problems.push('counts differ from what the stream has brought: please report that');
  return problems;
}

function lateOf({ answersMs }: ProbeFindings['probes']): number {
  return answersMs.filter((ms) => ms > SOURCE_STALE_MS).length;
}

function probesText(probes: ProbeFindings['probes']): string {
  const { answersMs, unanswered } = probes;
  const asked = answersMs.length + unanswered;
  if (asked === 0) return 'none asked';
  const sorted = answersMs.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    `${Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? NaN)} ms`;
  const answered = sorted.length === 0 ? '' : `p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}; `;
  return `${asked} asked: ${answered}later than ${secondsOf(SOURCE_STALE_MS)}: ${lateOf(probes)}, unanswered: ${unanswered}`;
}

function heartbeatsText({ gapsMs, end }: ProbeFindings['idle']): string {
  const range = `${secondsOf(Math.min(...gapsMs))} to ${secondsOf(Math.max(...gapsMs))}`;
  const seen =
    gapsMs.length === 0 ? 'none on an idle stream' : `${gapsMs.length} on an idle stream, ${range} apart`;
  return end === undefined ? seen : `${seen}, which ended (${end})`;
}

function resumptionText(resumption: Resumption | 'refused' | 'not tried'): string {
  if (typeof resumption === 'string') return resumption;
  const { tookMs, wasReset, filter, sentAgain, hadRemovals } = resumption;
  return (
    `went on after ${secondsOf(tookMs)}; RESET: ${yesOrNo(wasReset)}; existence filter: ${filter}; ` +
    `tickets removed: ${yesOrNo(hadRemovals)}; tickets sent again that had not changed: ${sentAgain}`
  );
}

function countsText({ tookMs, different, refusal, isAnsweredWithoutTime }: ProbeFindings['counts']): string {
  const answered =
    tookMs.length === 0
      ? []
      : [`${tookMs.length - different} of ${tookMs.length} equal, longest ${secondsOf(Math.max(...tookMs))}`];
  const without = `without a read time: ${isAnsweredWithoutTime ? 'answered' : 'refused, too'}`;
  const refused = refusal === undefined ? [] : [`refused (${refusal}); ${without}`];
  return [...answered, ...refused].join('; ') || 'no answer';
}

function allowedText({ targets: { tickets, sectors, event }, counts }: ProbeFindings): string {
  const isCounted = counts.tookMs.length > 0 || counts.isAnsweredWithoutTime;
  return `tickets: ${tickets}; sectors: ${sectors}; the event's document: ${event}; count(): ${isCounted ? 'allowed' : 'refused'}`;
}

const yesOrNo = (is: boolean): string => YES_OR_NO[`${is}`];

function secondsOf(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
