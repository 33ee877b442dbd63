import type { FirestoreLimits } from './limits.ts';

type Limits = Pick<FirestoreLimits, 'probeEveryMs' | 'probeAtMostEveryMs' | 'staleAfterMs' | 'tickMs'>;

/** Answers become known as slow at once, and as quick again in ten. */
const FORGETTING = 0.8;

/**
 * An idle stream is as silent as a dead one, so it is probed: a target is added that no ticket
 * matches. Once it is current, the next read time of the whole stream has everything that was committed before the asking.
 */
export class Probes {
  readonly #limits: Limits;
  /** The probes by their targets' IDs. */
  readonly #asked = new Map<number, { readonly askedAtMs: number; isCurrent: boolean }>();
  #lastAskedAtMs = performance.now();
  #answerMs = 0;
  #haveBeenAnswered = false;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Whether the stream has ever answered one. */
  get haveBeenAnswered(): boolean {
    return this.#haveBeenAnswered;
  }

  /** Whether one has no answer though it is as old as counts may be. */
  get isLate(): boolean {
    const [oldest] = this.#asked.values();
    return oldest !== undefined && performance.now() - oldest.askedAtMs > this.#limits.staleAfterMs;
  }

  /** Whether another one is to be asked now: earlier where answers take long, so that none becomes too old. */
  get isDue(): boolean {
    const { probeEveryMs, probeAtMostEveryMs, staleAfterMs, tickMs } = this.#limits;
    const pauseMs = staleAfterMs - tickMs - 2 * this.#answerMs;
    return this.isDueEvery(Math.min(probeEveryMs, Math.max(probeAtMostEveryMs, pauseMs)));
  }

  isDueEvery(intervalMs: number): boolean {
    return performance.now() - this.#lastAskedAtMs >= intervalMs - this.#limits.tickMs / 2;
  }

  ask(targetId: number): void {
    this.#lastAskedAtMs = performance.now();
    this.#asked.set(targetId, { askedAtMs: this.#lastAskedAtMs, isCurrent: false });
  }

  /** Returns those of these targets that are probes. */
  among(targetIds: readonly number[]): number[] {
    return targetIds.filter((id) => this.#asked.has(id));
  }

  /** This target has everything that was committed before it was added. */
  complete(targetId: number): void {
    const probe = this.#asked.get(targetId);
    if (probe) probe.isCurrent = true;
  }

  /** Gives up probes that are too old to prove anything, except the newest. Returns their targets. */
  giveUp(): number[] {
    const { staleAfterMs } = this.#limits;
    const old = [...this.#asked].filter(([, { askedAtMs }]) => performance.now() - askedAtMs > staleAfterMs);
    const ids = old.slice(0, -1).map(([id]) => id);
    for (const id of ids) this.#asked.delete(id);
    return ids;
  }

  /** The whole stream is consistent. Returns when the newest one was asked that is answered by that. */
  answer(): number | undefined {
    let answered: number | undefined;
    for (const [id, { askedAtMs, isCurrent }] of this.#asked) {
      if (!isCurrent) continue;
      this.#asked.delete(id);
      answered = Math.max(answered ?? askedAtMs, askedAtMs);
    }
    if (answered === undefined) return undefined;
    this.#haveBeenAnswered = true;
    this.#answerMs = Math.max(performance.now() - answered, this.#answerMs * FORGETTING);
    return answered;
  }
}
