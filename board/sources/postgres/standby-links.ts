import { errorCode } from '../../../database/setup-error.ts';
import { closeLink, type ObservingLink } from './observing-link.ts';

/** A link that has not answered for this long is made anew: TCP, which waits twice as long each time, may bring it back later. */
const SILENT_MS = 2_000;
/** So is one whose login takes this long. */
const LOGIN_MS = 5_000;
/** A host that refuses a login has it in its log. */
const RETRY_MS = 10_000;
/** Nothing listens there, or PostgreSQL is starting: it may accept the next one. */
const NOT_YET = new Set<string | undefined>(['ECONNREFUSED', '57P03']);

interface Kept {
  readonly link: ObservingLink;
  hasAnswered: boolean;
  /** Undefined while nothing is asked. */
  askedAtMs: number | undefined;
}

/**
 * Links to the hosts that are not observed. The standby among them that is promoted is observed without a login, which takes
 * four round trips.
 */
export class StandbyLinks {
  readonly #open: (url: string) => ObservingLink;
  readonly #kept = new Map<string, Kept>();
  readonly #refusedAtMs = new Map<string, number>();
  readonly #timer: NodeJS.Timeout | undefined;
  #urls: readonly string[];

  /** `urls`: of all hosts. With one host there is nothing to keep. */
  constructor(urls: readonly string[], everyMs: number, open: (url: string) => ObservingLink) {
    this.#open = open;
    this.#urls = urls;
    if (urls.length > 1) this.#timer = setInterval(() => this.#look(), everyMs);
  }

  /** Keeps links to these hosts, and to no other; at first to all. */
  keep(urls: readonly string[]): void {
    this.#urls = urls;
    for (const [url, { link }] of this.#kept) if (!urls.includes(url)) this.#drop(url, link);
  }

  /** Returns the link to this host, if there is one, which is the caller's from now on: it may be connecting still. */
  take(url: string): ObservingLink | undefined {
    const kept = this.#kept.get(url);
    this.#kept.delete(url);
    return kept?.link;
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#kept.values()].map(({ link }) => closeLink(link)));
    this.#kept.clear();
  }

  #look(): void {
    const nowMs = performance.now();
    for (const url of this.#urls) {
      const { link, hasAnswered, askedAtMs = nowMs } = this.#kept.get(url) ?? {};
      if (link && nowMs - askedAtMs >= (hasAnswered ? SILENT_MS : LOGIN_MS)) this.#drop(url, link);
      if (nowMs - (this.#refusedAtMs.get(url) ?? -Infinity) < RETRY_MS) continue;
      const kept = this.#kept.get(url) ?? this.#openTo(url);
      if (kept.askedAtMs === undefined) void this.#ask(url, kept);
    }
  }

  #openTo(url: string): Kept {
    const kept = { link: this.#open(url), hasAnswered: false, askedAtMs: undefined };
    this.#kept.set(url, kept);
    return kept;
  }

  async #ask(url: string, kept: Kept): Promise<void> {
    kept.askedAtMs = performance.now();
    try {
      const { session, replication } = kept.link;
      await Promise.all([session, replication].map(({ sql }) => sql`select 1`.simple()));
      kept.hasAnswered = true;
      kept.askedAtMs = undefined;
    } catch (error) {
      // Whoever took it, or dropped it, knows.
      if (this.#kept.get(url) !== kept) return;
      if (!kept.hasAnswered && !NOT_YET.has(errorCode(error))) this.#refusedAtMs.set(url, performance.now());
      this.#drop(url, kept.link);
    }
  }

  #drop(url: string, link: ObservingLink): void {
    this.#kept.delete(url);
    void closeLink(link);
  }
}
