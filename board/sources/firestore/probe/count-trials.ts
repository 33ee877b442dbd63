import { performance } from 'node:perf_hooks';
import { type Channel, RequestError } from '../channel.ts';
import { conditionsOf } from '../count-checks.ts';
import type { FirestorePlace } from '../firestore-place.ts';
import { decodeCountResponse } from '../messages.ts';
import type { ReadMeter } from '../read-meter.ts';
import { encodeCount } from '../requests.ts';
import type { CountedKind, TicketMemory } from '../ticket-memory.ts';
import { nameOfCode } from './code-name.ts';
import type { ProbeFindings } from './probe-findings.ts';

const ANSWER_LIMIT_MS = 10_000;

interface CountTrialsOptions {
  readonly place: FirestorePlace;
  readonly token: string;
  readonly memory: TicketMemory;
  readonly meter: ReadMeter;
}

/** Asks for counts at the read times of a stream, and compares them with what it has brought. */
export class CountTrials {
  readonly #options: CountTrialsOptions;
  readonly #tookMs: number[] = [];
  #different = 0;
  #refusal: string | undefined;
  #isAnsweredWithoutTime = false;
  #next = 0;
  #asking: Promise<void> = Promise.resolve();

  constructor(options: CountTrialsOptions) {
    this.#options = options;
  }

  get findings(): ProbeFindings['counts'] {
    return {
      tookMs: this.#tookMs,
      different: this.#different,
      refusal: this.#refusal,
      isAnsweredWithoutTime: this.#isAnsweredWithoutTime,
    };
  }

  /** Asks for the next kind in turn, unless one is being asked for. */
  ask(channel: Channel): void {
    const kinds = this.#kinds();
    const kind = kinds[this.#next % kinds.length] ?? {};
    this.#next += 1;
    this.#asking = this.#asking.then(() => this.#compare(channel, kind));
  }

  /** Resolves once nothing is being asked for. */
  finish(): Promise<void> {
    return this.#asking;
  }

  /** Those that a board compares: that of a sector needs two indexes at once. */
  #kinds(): readonly CountedKind[] {
    const codes = this.#options.memory.groups().map(({ ticket }) => ticket.setor);
    const setor = codes.find((code) => code !== '');
    const totals = [{ entrou: true }, { isValidTicket: true }, {}] as const;
    return typeof setor === 'string' ? [{ entrou: true, setor }, ...totals] : totals;
  }

  async #compare(channel: Channel, kind: CountedKind): Promise<void> {
    const { memory } = this.#options;
    const askedAtMs = performance.now();
    const ours = memory.count(kind);
    try {
      const theirs = await this.#count(channel, kind, memory.readTimeUs);
      this.#tookMs.push(performance.now() - askedAtMs);
      if (theirs !== ours) this.#different += 1;
    } catch (error) {
      if (!(error instanceof RequestError) || this.#refusal !== undefined) return;
      this.#refusal = nameOfCode(error.end.code);
      this.#isAnsweredWithoutTime = await this.#count(channel, kind, undefined).then(
        () => true,
        () => false,
      );
    }
  }

  async #count(channel: Channel, kind: CountedKind, readTimeUs: number | undefined): Promise<number> {
    const { place, token, meter } = this.#options;
    const request = encodeCount({ ...place.tickets, where: conditionsOf(kind) }, readTimeUs);
    const { parent } = place.tickets;
    const call = { method: 'RunAggregationQuery', request, token, routing: { parent } };
    const responses = await channel.ask(call, ANSWER_LIMIT_MS);
    const count = responses.map(decodeCountResponse).find((found) => found !== undefined)?.count ?? NaN;
    meter.count(count);
    return count;
  }
}
