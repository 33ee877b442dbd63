import { performance } from 'node:perf_hooks';
import { RELAY_STALE_MS } from '../../domain/freshness.ts';
import type { DeskCommand } from '../../desk/model/log/desk-command.ts';
import { isMinute } from '../../desk/model/desk-message.ts';
import type { DeskState } from '../../desk/model/desk-state.ts';
import { isDeskState } from '../../desk/model/desk-state-shape.ts';
import type { LogRow, Source } from '../../desk/model/log/flow-log.ts';
import type { UsualCurve } from '../../desk/model/forecast/usual-curve.ts';
import { hasFields, isListOf, isNullOr, isNumber, type Shape } from '../../desk/model/json-shape.ts';
import { isLogRow } from '../../desk/model/log/log-row-shape.ts';
import { MINUTE_MS, type Minute } from '../../desk/model/series/minute.ts';
import { CommandRefused, type Desk, DeskUnavailableError, type RecordedRow } from '../../desk/flow/desk.ts';
import { RecordUnavailableError } from '../../desk/record/record.ts';
import { ChosenCounter, type KnownCounters } from './chosen-counter.ts';
import type { DeskLine } from './desk-line.ts';
import {
  decodeAnswer,
  type DeskAnswer,
  type DeskQuestion,
  encodeDesk,
  MAX_MINUTES_ASKED_MS,
  WireError,
} from './desk-wire.ts';

export interface RemoteDeskOptions {
  readonly eventId: string;
  /** The codes of the venue's rows, in their order; the last, '', stands for the others. */
  readonly sectors: readonly string[];
  readonly source: Source;
  readonly line: DeskLine;
  readonly counters: KnownCounters;
}

interface Verified {
  readonly said: unknown;
  /** When the counts of a state were last verified, at the earliest, by `performance.now()`. */
  readonly verifiedAtMs: number;
}

interface DatedAnswer extends Pick<Verified, 'verifiedAtMs'> {
  readonly answer: DeskAnswer;
}

interface LastState extends Pick<Verified, 'verifiedAtMs'> {
  readonly state: DeskState;
  /** When it came. */
  readonly atMs: number;
  /** The number of the question that it answers. */
  readonly asked: number;
}

/**
 * An answer takes milliseconds, and the state is asked for each second, whatever became of the last question. The first ones
 * over a link that has become slow find no allowance yet. A counter that is gone is given up sooner.
 */
const READ_MS = 2_000;
/** The limit until a command's commit; its sender sees before that it takes too long. */
const COMMAND_MS = 10_000;

/** The desk of an event whose flow is watched in other processes: each question goes to one of them. */
export class RemoteDesk implements Desk {
  readonly eventId: string;
  readonly sectors: readonly string[];
  readonly source: Source;
  readonly #line: DeskLine;
  readonly #counters: KnownCounters;
  readonly #counter: ChosenCounter;
  readonly #listeners = new Set<(minute: Minute) => void>();
  /** How many states were asked for: an answer may come after that to a later question. */
  #asked = 0;
  #last: LastState | undefined;
  /** The newest minute that listeners were notified of. */
  #notifiedMs: number | null = null;
  #notifying: Promise<void> = Promise.resolve();

  constructor({ eventId, sectors, source, line, counters }: RemoteDeskOptions) {
    this.eventId = eventId;
    this.sectors = sectors;
    this.source = source;
    this.#line = line;
    this.#counters = counters;
    this.#counter = new ChosenCounter(line, counters);
  }

  /** Returns the last state while no counter answers. A state whose counts are too old has a source that is not live. */
  async state(): Promise<DeskState> {
    this.#asked += 1;
    const asked = this.#asked;
    try {
      const answer = await this.#answer({ ask: 'state' }, isDeskState);
      const state = answer.said as DeskState;
      this.#assertOurs(state);
      const atMs = performance.now();
      const last = { state, atMs, verifiedAtMs: answer.verifiedAtMs, asked };
      if (this.#last && asked < this.#last.asked) return aged(last, atMs);
      this.#last = last;
      if (state.record.state.kind !== 'writer') this.#counter.reconsider();
      this.#follow(state);
      return aged(last, atMs);
    } catch (error) {
      if (!(error instanceof DeskUnavailableError) || !this.#last) throw error;
      const nowMs = performance.now();
      return asked < this.#last.asked ? aged(this.#last, nowMs) : withoutSource(this.#last, nowMs);
    }
  }

  async stateAt(endMs: number): Promise<DeskState | undefined> {
    const state = (await this.#read({ ask: 'state-at', endMs }, isNullOr(isDeskState))) as DeskState | null;
    return state ?? undefined;
  }

  async minutes(fromMs: number, toMs: number): Promise<readonly Minute[]> {
    const minutes: Minute[] = [];
    for (let ms = fromMs; ms < toMs; ms += MAX_MINUTES_ASKED_MS) {
      const question = {
        ask: 'minutes',
        fromMs: ms,
        toMs: Math.min(ms + MAX_MINUTES_ASKED_MS, toMs),
      } as const;
      await this.#line.turn();
      minutes.push(...((await this.#read(question, isListOf(isMinute))) as Minute[]));
    }
    return minutes;
  }

  async usualCurve(sector?: number): Promise<UsualCurve | null> {
    return (await this.#read({ ask: 'usual', sector: sector ?? null }, isUsual)) as UsualCurve | null;
  }

  async log(afterSeq: number, limit = Number.MAX_SAFE_INTEGER): Promise<readonly LogRow[]> {
    const rows: LogRow[] = [];
    for (let after = afterSeq; rows.length < limit;) {
      const question = { ask: 'log', after, limit: limit - rows.length } as const;
      await this.#line.turn();
      const more = (await this.#read(question, isListOf(isLogRow))) as LogRow[];
      const last = more.at(-1);
      if (!last || last.seq <= after) break;
      rows.push(...more);
      after = last.seq;
    }
    return rows;
  }

  /** The counter that writes the record is asked. Where another one has taken over meanwhile, that one is asked once. */
  async command({ seenSeq, ...command }: DeskCommand, by: string, untilMs?: number): Promise<RecordedRow> {
    const question = { ask: 'command', command, by, untilMs, seenSeq } as const;
    const { answer } = await this.#ask(question, COMMAND_MS);
    const isElsewhere = 'unavailable' in answer && (await this.#counter.chooseAnew());
    const last = isElsewhere ? (await this.#ask(question, COMMAND_MS)).answer : answer;
    return readAnswer(last, isLogRow) as RecordedRow;
  }

  onMinute(listener: (minute: Minute) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #read(question: DeskQuestion, isShape: Shape): Promise<unknown> {
    return (await this.#answer(question, isShape)).said;
  }

  async #answer(question: DeskQuestion, isShape: Shape): Promise<Verified> {
    try {
      const { answer, verifiedAtMs } = await this.#ask(question, READ_MS);
      return { said: readAnswer(answer, isShape), verifiedAtMs };
    } catch (error) {
      if (!(error instanceof RecordUnavailableError)) throw error;
      throw new DeskUnavailableError(error.message);
    }
  }

  /** Where the chosen counter is gone, another one is asked. What only reads may be asked of the same one again. */
  async #ask(question: DeskQuestion, limitMs: number): Promise<DatedAnswer> {
    const bytes = encodeDesk(question);
    const counter = await this.#counter.choose();
    try {
      return await this.#askOne(counter, bytes, limitMs);
    } catch (error) {
      if (!(error instanceof DeskUnavailableError)) throw error;
      const isAnother = await this.#counter.chooseAnew();
      if (!isAnother && question.ask === 'command') throw error;
      return await this.#askOne(await this.#counter.choose(), bytes, limitMs);
    }
  }

  async #askOne(counter: string, bytes: Uint8Array, limitMs: number): Promise<DatedAnswer> {
    const askedAtMs = performance.now();
    const answer = readDeskAnswer(await this.#line.ask(counter, bytes, limitMs));
    const counterMs = 'said' in answer ? answer.verifiedAtMs : undefined;
    const hereMs = typeof counterMs === 'number' ? this.#counters.earliestMs(counter, counterMs) : undefined;
    // Another process of this name has another clock.
    const isKnown = hereMs !== undefined && Math.abs(hereMs) !== Infinity && hereMs <= performance.now();
    return { answer, verifiedAtMs: isKnown ? hereMs : askedAtMs };
  }

  /** Rows of another venue would be displayed as these. */
  #assertOurs({ eventId, rows }: DeskState): void {
    const isOurs =
      eventId === this.eventId &&
      rows.length === this.sectors.length &&
      rows.every(({ code }, index) => code === this.sectors[index]);
    if (isOurs) return;
    throw new DeskUnavailableError(
      'the counters have another venue for this event: give counters and edges the same',
    );
  }

  /** Notifies the listeners of the minutes since the previous state, in their order. */
  #follow({ lastMinuteMs }: DeskState): void {
    const fromMs = this.#notifiedMs;
    this.#notifiedMs = lastMinuteMs;
    if (fromMs === null || lastMinuteMs === null || lastMinuteMs <= fromMs || this.#listeners.size === 0)
      return;
    this.#notifying = this.#notifying.then(async () => {
      const minutes = await this.minutes(fromMs + MINUTE_MS, lastMinuteMs + MINUTE_MS).catch(() => []);
      for (const minute of minutes) for (const listener of this.#listeners) listener(minute);
    });
  }
}

/** A state that came just now: its counts are live for as long as an edge passes on any. */
function aged({ state, verifiedAtMs }: LastState, nowMs: number): DeskState {
  const ageMs = Math.round(nowMs - verifiedAtMs);
  if (!state.source.live || ageMs <= RELAY_STALE_MS) return state;
  return { ...state, source: { live: false, ageMs, reason: 'lag' } };
}

function withoutSource({ state, atMs, verifiedAtMs }: LastState, nowMs: number): DeskState {
  const agoMs = nowMs - atMs;
  const ageMs = Math.round(state.source.live ? nowMs - verifiedAtMs : agoMs + state.source.ageMs);
  return {
    ...state,
    nowMs: Math.round(state.nowMs + agoMs),
    wallMs: state.wallMs === undefined ? undefined : Math.round(state.wallMs + agoMs),
    source: { live: false, ageMs, reason: 'connecting' },
  };
}

function readDeskAnswer(bytes: Uint8Array): DeskAnswer {
  try {
    return decodeAnswer(bytes) as unknown as DeskAnswer;
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof WireError)) throw error;
    throw new DeskUnavailableError(`a counter's answer cannot be read: ${error.message}`);
  }
}

function readAnswer(answer: DeskAnswer, isShape: Shape): unknown {
  if ('refused' in answer) throw new CommandRefused(answer.refused, answer.message);
  if ('unavailable' in answer) throw new RecordUnavailableError(answer.unavailable);
  if (!('said' in answer) || !isShape(answer.said))
    throw new DeskUnavailableError("a counter's answer is malformed");
  return answer.said;
}

const isUsual = isNullOr(hasFields({ matches: isNumber, fromMin: isNumber, shares: isListOf(isNumber) }));
