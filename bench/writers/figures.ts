import type { Figure } from '../benchmark.ts';
import type { Attachment } from './attachments.ts';

export interface Load {
  readonly name: 'paced' | 'full8' | 'full32';
  readonly gates: number;
  /** Absent: as many as the gates can. */
  readonly perSecond?: number;
}

export type LoadMeasure = Record<
  Load['name'],
  { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number }
>;

export type Attached<T> = Record<Attachment['name'], T>;

const MOST_LATENCY = 1.1;
/** "Clearly ahead": more than two runs of the same differ. */
const LEAST_AHEAD_OF_NOTIFY = 1.2;

const WITH: Attached<string> = {
  nothing: 'without the board',
  board: 'with the board',
  reader: 'with a reader of the log that throws it away',
  notify: 'with triggers + NOTIFY',
};
const NAMES = Object.keys(WITH) as Attachment['name'][];

/** Every comparison is one within a round. */
export function figuresOf(rounds: readonly Attached<LoadMeasure>[], perSecond: number): Figure[] {
  return [
    ...(['p50Ms', 'p99Ms'] as const).flatMap((key) => latencyFigures(rounds, key, perSecond)),
    ...(['full8', 'full32'] as const).flatMap((load) => throughputFigures(rounds, load)),
  ];
}

function latencyFigures(
  rounds: readonly Attached<LoadMeasure>[],
  key: 'p50Ms' | 'p99Ms',
  perSecond: number,
): Figure[] {
  const what = `commit at ${perSecond}/s, ${key === 'p50Ms' ? 'p50' : 'p99'}`;
  const ratio = (name: Attachment['name'], base: Attachment['name']): number[] =>
    rounds.map((round) => round[name].paced[key] / round[base].paced[key]);
  return [
    ...NAMES.map((name) => ({
      what: `${what}, ${WITH[name]}`,
      unit: 'ms',
      values: rounds.map((round) => round[name].paced[key]),
    })),
    {
      what: `${what}, board beside none`,
      unit: '×',
      values: ratio('board', 'nothing'),
      target: { atMost: MOST_LATENCY },
    },
    { what: `${what}, reader beside none`, unit: '×', values: ratio('reader', 'nothing') },
    { what: `${what}, board beside reader`, unit: '×', values: ratio('board', 'reader') },
    { what: `${what}, NOTIFY beside none`, unit: '×', values: ratio('notify', 'nothing') },
  ];
}

function throughputFigures(rounds: readonly Attached<LoadMeasure>[], load: 'full8' | 'full32'): Figure[] {
  const what = `full load, ${load === 'full8' ? 8 : 32} gates`;
  const ratio = (name: Attachment['name'], base: Attachment['name']): number[] =>
    rounds.map((round) => round[name][load].perSecond / round[base][load].perSecond);
  return [
    ...NAMES.map((name) => ({
      what: `${what}, ${WITH[name]}`,
      unit: 'commits/s',
      values: rounds.map((round) => round[name][load].perSecond),
    })),
    {
      what: `${what}, board beside NOTIFY`,
      unit: '×',
      values: ratio('board', 'notify'),
      target: { atLeast: LEAST_AHEAD_OF_NOTIFY },
    },
    { what: `${what}, board beside none`, unit: '×', values: ratio('board', 'nothing') },
    { what: `${what}, board beside reader`, unit: '×', values: ratio('board', 'reader') },
    { what: `${what}, NOTIFY beside none`, unit: '×', values: ratio('notify', 'nothing') },
  ];
}
