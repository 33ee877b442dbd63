import { performance } from 'node:perf_hooks';
import { closeLink, type ObservingLink } from './observing-link.ts';

/** A link that has not answered for this long is made anew. */
const SILENT_MS = 5_000;

interface Kept {
  readonly link: ObservingLink;
  /** When it was opened, or answered last. */
  answeredAtMs: number;
  isReady: boolean;
  isAsked: boolean;
}

/**
 * Links to the hosts that are not observed. The standby among them that is promoted is observed without a login, which takes
 * four round trips.
 */
export class StandbyLinks {
  readonly #open: (url: string) => ObservingLink;
  readonly #kept = new Map<string, Kept>();
  readonly #timer: NodeJS.Timeout | undefined;
  #urls: readonly string[];

  /** `urls`: of all hosts. With one host there is nothing to keep. */
  constructor(urls: readonly string[], everyMs: number, open: (url: string) => ObservingLink) {
    this.#open = open;
    this.#urls = urls;
    this.#urls = [];
    if (urls.length > 1) this.#timer = setInterval(() => this.#look(), everyMs);
  }

  /** Keeps links to these hosts, and to no other; at first to all. */
  keep(urls: readonly string[]): void {
    this.#urls = urls;
    for (const [url, { link }] of this.#kept) if (!urls.includes(url)) this.#drop(url, link);
  }

  /** Returns the link to this host, which is the caller's from now on; `undefined` where it is not known to work. */
  take(url: string): ObservingLink | undefined {
    const kept = this.#kept.get(url);
    if (!kept?.isReady) return undefined;
    this.#kept.delete(url);
    return kept.link;
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#kept.values()].map(({ link }) => closeLink(link)));
    this.#kept.clear();
  }

  #look(): void {
    for (const url of this.#urls) {
      const nowMs = performance.now();
      const held = this.#kept.get(url);
      if (held && nowMs - held.answeredAtMs > SILENT_MS) this.#drop(url, held.link);
      const kept = this.#kept.get(url) ?? this.#openTo(url, nowMs);
      if (!kept.isAsked) void this.#ask(url, kept);
    }
  }

  #openTo(url: string, nowMs: number): Kept {
    const kept = { link: this.#open(url), answeredAtMs: nowMs, isReady: false, isAsked: false };
    this.#kept.set(url, kept);
    return kept;
  }

  async #ask(url: string, kept: Kept): Promise<void> {
    kept.isAsked = true;
    try {
      const { session, replication } = kept.link;
      await Promise.all([session, replication].map(({ sql }) => sql.unsafe('select 1').simple()));
      kept.answeredAtMs = performance.now();
      kept.isReady = true;
    } catch {
      // Whoever took it hears of it.
      if (this.#kept.get(url) === kept) this.#drop(url, kept.link);
    } finally {
      kept.isAsked = false;
    }
  }

  #drop(url: string, link: ObservingLink): void {
    this.#kept.delete(url);
    void closeLink(link);
  }
}
