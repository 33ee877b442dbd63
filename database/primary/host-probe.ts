import { performance } from 'node:perf_hooks';
import type { HostReport } from './primary-choice.ts';
import { HOST_SQL, type HostAnswer, readHostAnswer } from './host-answer.ts';
import { hostOf } from '../../domain/database-hosts.ts';
import { connectionDetail, connectionFault, type ServerPlace } from '../connection-fault.ts';
import { openSession, type Session } from '../database-session.ts';

/** A host that has not answered for this long is unavailable. */
const LOOK_LIMIT_MS = 3_000;
const END_LIMIT_MS = 300;

/** Probes one host repeatedly in one session: a probe costs the database next to nothing. */
export class HostProbe {
  readonly url: string;
  readonly host: string;
  readonly #place: ServerPlace;
  #session: Session | undefined;
  #looking: Promise<HostReport> | undefined;
  #latest: HostReport | undefined;
  #unavailableSinceMs: number | undefined;
  #over = false;

  /** `url` has one host. */
  constructor(url: string, place: ServerPlace) {
    this.url = url;
    this.host = hostOf(url);
    this.#place = place;
  }

  /** The result of the last probe; undefined before the first one. */
  get latest(): HostReport | undefined {
    return this.#latest;
  }

  /** Whether an answer is awaited. */
  get isLooking(): boolean {
    return this.#looking !== undefined;
  }

  /** For how long the host has been unavailable; 0: it is available. */
  get unavailableMs(): number {
    return this.#unavailableSinceMs === undefined ? 0 : performance.now() - this.#unavailableSinceMs;
  }

  /** Never rejects. Concurrent calls share one probe: a silent host is not asked twice. */
  look(): Promise<HostReport> {
    this.#looking ??= this.#look().then((report) => {
      this.#looking = undefined;
      this.#latest = report;
      this.#unavailableSinceMs =
        report.kind === 'unavailable' ? (this.#unavailableSinceMs ?? performance.now()) : undefined;
      return report;
    });
    return this.#looking;
  }

  async end(): Promise<void> {
    this.#over = true;
    await this.#session?.end(END_LIMIT_MS);
  }

  async #look(): Promise<HostReport> {
    const isKept = this.#session !== undefined;
    try {
      return await this.#ask();
    } catch (error) {
      // The session may have ended with a server that is running again.
      if (!isKept || error instanceof Silence) return this.#unavailable(error);
      return this.#ask().catch((again: unknown) => this.#unavailable(again));
    }
  }

  async #ask(): Promise<HostReport> {
    if (this.#over) throw new Error('the probe has ended');
    const session = (this.#session ??= openSession(this.url, { application_name: 'triagem hosts' }));
    try {
      const [answer] = await withinLimit(session.sql.unsafe<[HostAnswer]>(HOST_SQL).simple());
      return readHostAnswer(this.host, answer);
    } catch (error) {
      this.#session = undefined;
      void session.end(0);
      throw error;
    }
  }

  #unavailable(error: unknown): HostReport {
    const fault = connectionFault(error, this.#place);
    const what = fault?.shouldRetry === false ? `cannot be used: ${fault.cause}` : 'does not answer';
    return {
      kind: 'unavailable',
      host: this.host,
      reason: `${what}${connectionDetail(error)}`,
      shouldRetry: fault?.shouldRetry ?? true,
    };
  }
}

class Silence extends Error {}

async function withinLimit<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    const fail = (): void => reject(new Silence(`no answer within ${LOOK_LIMIT_MS / 1_000} s`));
    timer = setTimeout(fail, LOOK_LIMIT_MS);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
    answer.catch(() => {});
  }
}
