import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Channel } from '../channel.ts';
import { Credentials } from '../credentials.ts';
import { FirestoreError } from '../firestore-error.ts';
import { type FirestorePlace, placeOf } from '../firestore-place.ts';
import type { FirestoreSettings } from '../firestore-settings.ts';
import { FIRESTORE_LIMITS } from '../limits.ts';
import { ReadMeter } from '../read-meter.ts';
import type { TargetName } from '../stream-view.ts';
import { TicketMemory } from '../ticket-memory.ts';
import { nameOfCode } from './code-name.ts';
import { CountTrials } from './count-trials.ts';
import { IdleStream } from './idle-stream.ts';
import type { ProbeFindings, Resumption } from './probe-findings.ts';
import { ProbedStream } from './probed-stream.ts';

export interface ProbeOptions {
  readonly settings: FirestoreSettings;
  readonly eventId: string;
  /** How many probes are asked. */
  readonly probes: number;
  readonly everyMs: number;
  /** A probe without an answer is waited for this long. */
  readonly answerLimitMs: number;
  readonly progress: (line: string) => void;
  /** It aborts the probe, which returns its findings so far. */
  readonly signal: AbortSignal;
}

export interface ProbeOutcome {
  readonly findings: ProbeFindings;
  /** All reads, by our own meter: they tell how many tickets there are. */
  readonly reads: number;
}

/** Before anything has come, a stream that brings nothing is waited for as long as a request may take. */
const OPENING_SILENCE_MS = 10_000;
const COUNT_EVERY_PROBES = 5;
const PROGRESS_EVERY_PROBES = 5;

/**
 * Reads a project as a board does, and finds out what it answers. It writes nothing. Half-way, it cuts its stream and goes on
 * from the resume token. Rejects with a FirestoreError where nothing can be read.
 */
export async function probeProject(options: ProbeOptions): Promise<ProbeOutcome> {
  const { settings, eventId, probes, signal, progress } = options;
  const place = placeOf(settings, eventId);
  const token = await new Credentials(settings, FIRESTORE_LIMITS).token(signal);
  const memory = new TicketMemory(eventId);
  const meter = new ReadMeter();
  const trials = new CountTrials({ place, token: token.value, memory, meter });
  const trial = new Trial(options, place, token.value, memory, meter, trials);
  const idleChannel = new Channel(settings, place.database);
  const idle = new IdleStream({ place, channel: idleChannel, token: token.value });
  meter.probe();
  const begunAtMs = performance.now();
  try {
    progress('reading all tickets');
    const first = await trial.run(Math.ceil(probes / 2));
    const resumption = await trial.resume(Math.floor(probes / 2));
    const findings: ProbeFindings = {
      isEmulator: settings.emulatorHost !== undefined,
      isAccount: settings.credentials.kind === 'account',
      seconds: Math.round((performance.now() - begunAtMs) / 1_000),
      firstReadingMs: trial.refused.has('tickets') ? undefined : first.tookMs,
      probes: { answersMs: trial.answersMs, unanswered: trial.unanswered },
      idle: { gapsMs: idle.gapsMs, end: idle.end && nameOfCode(idle.end.code) },
      resumption,
      counts: trials.findings,
      targets: {
        tickets: trial.refused.has('tickets') ? 'refused' : 'allowed',
        sectors: trial.refused.has('sectors') ? 'refused' : 'allowed',
        event: place.event === undefined ? 'none' : trial.refused.has('event') ? 'refused' : 'allowed',
      },
      ends: trial.ends,
      reads: { others: meter.counts.others, probes: meter.counts.probes },
    };
    return { findings, reads: meter.total };
  } finally {
    idle.close();
    idleChannel.close();
  }
}

/** The streams that are probed, one after the other. */
class Trial {
  readonly answersMs: number[] = [];
  unanswered = 0;
  readonly ends: string[] = [];
  readonly refused = new Set<TargetName>();
  readonly #options: ProbeOptions;
  readonly #place: FirestorePlace;
  readonly #token: string;
  readonly #memory: TicketMemory;
  readonly #meter: ReadMeter;
  readonly #trials: CountTrials;
  #asked = 0;

  constructor(
    options: ProbeOptions,
    place: FirestorePlace,
    token: string,
    memory: TicketMemory,
    meter: ReadMeter,
    trials: CountTrials,
  ) {
    this.#options = options;
    this.#place = place;
    this.#token = token;
    this.#memory = memory;
    this.#meter = meter;
    this.#trials = trials;
  }

  /** Goes on with a second stream; with a third one that reads everything again, where Firestore does not take the token. */
  async resume(probes: number): Promise<ProbeFindings['resumption']> {
    const { signal, progress } = this.#options;
    if (signal.aborted || this.refused.has('tickets')) return 'not tried';
    progress('the stream is cut, and goes on from its resume token');
    try {
      return await this.run(probes);
    } catch (error) {
      if (signal.aborted) return 'not tried';
      if (!(error instanceof FirestoreError)) throw error;
      progress(`it does not go on, and all tickets are read again: ${error.message}`);
      this.#memory.forgetToken();
      await this.run(probes);
      return 'refused';
    }
  }

  /** Opens a stream, and probes it `probes` times. */
  async run(probes: number): Promise<Resumption> {
    const { settings, signal } = this.#options;
    signal.throwIfAborted();
    const channel = new Channel(settings, this.#place.database);
    const stream = new ProbedStream({
      settings,
      place: this.#place,
      channel,
      token: this.#token,
      memory: this.#memory,
      silenceMs: OPENING_SILENCE_MS,
      onRefused: (of) => this.refused.add(of),
      onDocumentRead: (of) => this.#meter.document(of === 'tickets'),
    });
    const close = (): void => channel.close();
    signal.addEventListener('abort', close, { once: true });
    try {
      const opening = await stream.opened;
      this.#trials.ask(channel);
      if (!this.refused.has('tickets')) await this.#probe(stream, channel, probes);
      await this.#trials.finish();
      return opening;
    } finally {
      signal.removeEventListener('abort', close);
      this.answersMs.push(...stream.answersMs);
      this.unanswered += stream.unanswered;
      if (stream.end && !signal.aborted) this.ends.push(nameOfCode(stream.end.code));
      stream.close();
      channel.close();
    }
  }

  async #probe(stream: ProbedStream, channel: Channel, probes: number): Promise<void> {
    const { everyMs, answerLimitMs, signal, progress } = this.#options;
    const isOver = (): boolean => signal.aborted || stream.end !== undefined || this.refused.has('tickets');
    for (let left = probes; left > 0 && !isOver(); left -= 1) {
      stream.ask();
      this.#meter.probe();
      this.#asked += 1;
      if (this.#asked % COUNT_EVERY_PROBES === 0) this.#trials.ask(channel);
      if (this.#asked % PROGRESS_EVERY_PROBES === 0)
        progress(`${this.#asked} of ${this.#options.probes} probes asked`);
      await pause(everyMs, undefined, { signal }).catch(() => {});
    }
    const untilMs = performance.now() + answerLimitMs;
    while (stream.unanswered > 0 && !isOver() && performance.now() < untilMs)
      await pause(Math.min(everyMs, 100), undefined, { signal }).catch(() => {});
  }
}
