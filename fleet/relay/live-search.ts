import type { Logger } from 'pino';
import { isEarlier, shortTimeline } from '../../domain/log-position.ts';
import type { KnownTimelines } from '../../domain/known-timelines.ts';
import { CounterRegistry } from './counter-registry.ts';
import { decodeAnswer, RefusedMessage } from './decode.ts';
import { FreshnessQuestions } from './freshness-questions.ts';
import type { NatsLink } from './nats-link.ts';
import { type NatsServerAddress, placeOf } from './nats-target.ts';
import type { Subjects } from './subjects.ts';

/** A second connection, to one server. */
type SearchLink = Pick<NatsLink, 'start' | 'stop' | 'publish' | 'subscribe' | 'notConnectedReason'>;

export interface LiveSearchOptions {
  /** The node name of the edge. */
  readonly edge: string;
  readonly subjects: Subjects;
  readonly servers: readonly NatsServerAddress[];
  /** The connection that the edge uses. */
  readonly link: Pick<NatsLink, 'server' | 'changeTo' | 'connectedAtMs' | 'notConnectedReason'>;
  /** The counters that answer through it. */
  readonly counters: CounterRegistry;
  readonly proved: KnownTimelines<string>;
  readonly openLink: (server: NatsServerAddress) => SearchLink;
  readonly log: Logger;
}

/** A round through the other servers begins after this long without a live counter. */
const ALONE_MS = 2_000;
/** How long a round may take to connect, to ask, and to be answered; then all counters behind a server that answers are awaited. */
const ROUND_MS = 1_500;
/** The pause before the second round; it doubles before each further one. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10_000;
/** The pause between two rounds that claims of pages start. */
const CHECK_PAUSE_MS = 5_000;
/** The same finding is logged again after this long without a round. */
const REPORT_AGAIN_MS = 60_000;

/** A look at the counters behind one server. */
interface Look {
  readonly server: NatsServerAddress;
  readonly link: SearchLink;
  readonly counters: CounterRegistry;
  readonly questions: FreshnessQuestions;
}

/**
 * Searches for a live counter behind the other NATS servers while none is live behind the one that the edge uses. NATS
 * servers that are partitioned have counters of their own, and one that answers "not live" proves nothing about the others.
 * Each round uses second connections, all at once, so that the edge keeps its own until a better one is found. While no
 * counter is live anywhere, the pauses grow. A page that has seen a higher timeline than any counter has proved starts one
 * round, and no more: only a counter is trusted.
 *
 *   none live for 2 s ──▶ round ──▶ a live counter: the edge changes to that server
 *                           ▲  └──▶ none: a pause, longer each time, with jitter
 *                           └─────────┘
 */
export class LiveSearch {
  readonly #options: LiveSearchOptions;
  #round: { readonly looks: readonly Look[]; readonly endsAtMs: number } | undefined;
  #rounds = 0;
  #liveAtMs = -Infinity;
  #notBeforeMs = -Infinity;
  /** A timeline that a page has seen and no counter has proved, as `shortTimeline` writes it. */
  #doubt: string | undefined;
  #doubtNotBeforeMs = -Infinity;
  #seen: readonly { readonly server: NatsServerAddress; readonly words: string }[] = [];
  #reported = '';

  constructor(options: LiveSearchOptions) {
    this.#options = options;
  }

  /** What the last round found behind the other servers, for the operator; empty before the first. */
  get seen(): string {
    const { server: own } = this.#options.link;
    return this.#seen
      .filter(({ server }) => server !== own)
      .map(({ words }) => words)
      .join('; ');
  }

  /** A page claims to have seen this timeline, as `shortTimeline` writes it. */
  pageHasSeen(timeline: string): void {
    const known = [...this.#options.proved.latest].map(([system, proved]) => shortTimeline(system, proved));
    if (known.some((proved) => isEarlier(proved, timeline))) this.#doubt = timeline;
  }

  /** Must be called every RELAY_TICK_MS. */
  check(nowMs: number): void {
    const { link, counters } = this.#options;
    const isLive = counters.isAnyLive(nowMs);
    if (isLive) this.#rest(nowMs);
    // A lost connection tries the next server by itself.
    if (link.notConnectedReason !== undefined || (isLive && this.#doubt === undefined)) {
      void this.#endRound();
      return;
    }
    if (this.#round) this.#look(this.#round, nowMs);
    else if (isLive ? nowMs >= this.#doubtNotBeforeMs : this.#isAlone(nowMs)) this.#begin(nowMs);
  }

  async stop(): Promise<void> {
    this.#notBeforeMs = Infinity;
    await this.#endRound();
  }

  #isAlone(nowMs: number): boolean {
    const aloneMs = nowMs - Math.max(this.#liveAtMs, this.#options.link.connectedAtMs);
    return nowMs >= this.#notBeforeMs && aloneMs > ALONE_MS;
  }

  #rest(nowMs: number): void {
    this.#liveAtMs = nowMs;
    this.#rounds = 0;
    this.#notBeforeMs = -Infinity;
    this.#seen = [];
    if (nowMs - this.#doubtNotBeforeMs > REPORT_AGAIN_MS) this.#reported = '';
  }

  #begin(nowMs: number): void {
    const { servers, link, counters } = this.#options;
    // Where no counter answers at all, the connection itself may be at fault.
    const isMute = counters.describe(nowMs) === '';
    const looks = servers
      .filter((server) => isMute || server !== link.server)
      .map((server) => this.#open(server));
    this.#rounds += 1;
    this.#round = { looks, endsAtMs: nowMs + ROUND_MS };
  }

  #open(server: NatsServerAddress): Look {
    const { edge, subjects, openLink, proved } = this.#options;
    const counters = new CounterRegistry(proved);
    const link = openLink(server);
    const questions = new FreshnessQuestions({
      edge,
      subjects,
      link,
      // Counters behind different servers know of one another by this edge.
      primaries: () => ({
        ...this.#options.counters.primaries(performance.now()),
        ...counters.primaries(performance.now()),
      }),
      onAnswer(_subject, bytes, askedAtMs) {
        try {
          counters.answered(decodeAnswer(bytes), askedAtMs, performance.now());
        } catch (error) {
          // The edge that uses this counter reports the refusal.
          if (!(error instanceof RefusedMessage)) throw error;
        }
      },
    });
    link.start();
    return { server, link, counters, questions };
  }

  #look(
    { looks, endsAtMs }: { readonly looks: readonly Look[]; readonly endsAtMs: number },
    nowMs: number,
  ): void {
    const { counters, link } = this.#options;
    // A counter that proves a later timeline demotes the primary behind the server in use.
    const live = counters.isAnyLive(nowMs) ? undefined : looks.find((look) => look.counters.isAnyLive(nowMs));
    const goesOn = nowMs < endsAtMs || looks.some((look) => look.counters.isAwaitingOthers(nowMs));
    if (!live && goesOn) return;
    const isMute = counters.describe(nowMs) === '';
    const better = live ?? looks.find((look) => isMute && look.counters.describe(nowMs) !== '');
    this.#report(looks, nowMs);
    void this.#endRound();
    const pauseMs =
      Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#rounds - 1)) * (0.5 + Math.random() / 2);
    this.#notBeforeMs = nowMs + pauseMs;
    this.#doubt = undefined;
    this.#doubtNotBeforeMs = nowMs + CHECK_PAUSE_MS;
    if (!better) return;
    link.changeTo(
      better.server,
      `changing to ${placeOf(better.server)}, behind which ${better.counters.describe(nowMs)}`,
    );
  }

  #report(looks: readonly Look[], nowMs: number): void {
    const { link, counters, log } = this.#options;
    const behindOwn = counters.describe(nowMs);
    this.#seen = looks
      // A second look at the server in use is reported only if it differs.
      .filter((look) => look.server !== link.server || look.counters.describe(nowMs) !== behindOwn)
      .map(({ server, counters: behind, link: { notConnectedReason } }) => {
        return { server, words: describeBehind(server, behind.describe(nowMs), notConnectedReason) };
      });
    const own = link.server ? describeBehind(link.server, behindOwn) : '';
    const seen = [own, ...this.#seen.map(({ words }) => words)].filter(Boolean).join('; ');
    if (seen === this.#reported) return;
    this.#reported = seen;
    log.warn(
      { seen, ...(this.#doubt !== undefined && { pageHasSeen: this.#doubt }) },
      'looked for a live counter behind the other NATS servers',
    );
  }

  async #endRound(): Promise<void> {
    const round = this.#round;
    this.#round = undefined;
    await Promise.all(
      (round?.looks ?? []).map(({ link, questions }) => {
        questions.stop();
        return link.stop();
      }),
    );
  }
}

/** `counters` is their description; empty: none answers. */
export function describeBehind(
  server: NatsServerAddress,
  counters: string,
  notConnectedReason?: string,
): string {
  const place = placeOf(server);
  if (notConnectedReason !== undefined) {
    return notConnectedReason.startsWith(place) ? notConnectedReason : `${place}: it does not answer`;
  }
  return `behind ${place} ${counters || 'no counter answers'}`;
}
