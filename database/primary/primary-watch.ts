import { setTimeout as pause } from 'node:timers/promises';
import { hostUrls } from '../../domain/database-hosts.ts';
import {
  choosePrimary,
  describeOthers,
  findRetiring,
  type HostReport,
  type ServerReport,
} from './primary-choice.ts';
import { describeTimeline } from '../../domain/returned-primary.ts';
import { KnownTimelines } from '../../domain/known-timelines.ts';
import { ConnectionFaultError, nameOf, type ServerPlace } from '../connection-fault.ts';
import { HostProbe } from './host-probe.ts';

export interface Primary {
  /** A connection string with this one host. */
  readonly url: string;
  /** Its report; undefined: the setting names one host, which is not probed. */
  readonly found: ServerReport | undefined;
}

export interface FindOptions {
  /** The system identifier of the primary before. */
  readonly followed?: string | undefined;
  readonly thorough?: boolean;
}

export interface FollowOptions {
  readonly everyMs: number;
  /** Called once, when a host of the same system knows of a later timeline. */
  readonly onRetired: (error: ConnectionFaultError) => void;
  /** Called after each probe, with what is wrong with the other hosts; undefined: nothing. */
  readonly onWarning: (warning: string | undefined) => void;
}

const STRAGGLER_MS = 500;
/** The pause between probes while the followed primary does not answer: another host may be promoted at any moment. */
const SILENT_EVERY_MS = 200;
const NOT_YET = { reason: 'has not answered yet', shouldRetry: true };
/** A host that restarts, or ends its sessions, causes no warning. */
const UNAVAILABLE_WARNING_MS = 5_000;

/** Finds the primary among the hosts of a connection string, and detects when it is retired. A single host is not probed. */
export class PrimaryWatch {
  readonly #url: string;
  readonly #place: ServerPlace;
  readonly #probes: readonly HostProbe[];
  readonly #known = new KnownTimelines();
  /** A host was found to be promoted while another one was followed, and has not been asked for since. */
  #hasRetired = false;

  constructor(url: string, place: ServerPlace) {
    this.#url = url;
    this.#place = place;
    const urls = hostUrls(url);
    this.#probes = urls.length > 1 ? urls.map((each) => new HostProbe(each, place)) : [];
  }

  /**
   * Probes all hosts at once. Hosts that take longer than the others are not waited for, unless the search is `thorough`, as
   * it must be before a primary was followed: otherwise a former primary could be taken for the new one.
   *
   * @throws ConnectionFaultError unless there is one.
   */
  async find({ followed, thorough = false }: FindOptions = {}): Promise<Primary> {
    const probes = this.#probes;
    if (probes.length === 0) return { url: hostUrls(this.#url)[0] ?? this.#url, found: undefined };
    if (this.#hasRetired) {
      this.#hasRetired = false;
      const known = choosePrimary(this.#reports(0), { followed, known: this.#known });
      if ('primary' in known) return this.#primary(known.primary);
    }
    const reports: HostReport[] = probes.map(({ host, latest }) =>
      latest?.kind === 'unavailable' ? latest : { kind: 'unavailable', host, ...NOT_YET },
    );
    const looks = probes.map(async (probe, index) => {
      reports[index] = await probe.look();
    });
    const all = Promise.all(looks);
    await (thorough ? all : settledWithin(all, STRAGGLER_MS));
    const choice = choosePrimary([...reports], { followed, known: this.#known });
    if ('cause' in choice) {
      throw new ConnectionFaultError({ ...choice, cause: `${nameOf(this.#place)} ${choice.cause}` });
    }
    return this.#primary(choice.primary);
  }

  #primary(found: ServerReport): Primary {
    const probe = this.#probes.find(({ host }) => host === found.host);
    if (!probe) throw new Error('unreachable: the report is that of a probe');
    return { url: probe.url, found };
  }

  /** Keeps probing all hosts. Returns how to stop. */
  follow({ found }: Primary, { everyMs, onRetired, onWarning }: FollowOptions): () => void {
    if (!found) return () => {};
    let isOver = false;
    const judge = (): void => {
      if (isOver) return;
      const retiring = findRetiring(this.#reports(0), found);
      if (retiring) {
        this.#known.note(retiring);
        this.#hasRetired = true;
        isOver = true;
        clearTimeout(timer);
        onRetired(this.#retired(found, retiring));
        return;
      }
      const others = describeOthers(this.#reports(UNAVAILABLE_WARNING_MS), found);
      onWarning(others === undefined ? undefined : `Of the hosts of ${nameOf(this.#place)}, ${others}`);
    };
    const followed = this.#probes.find(({ host }) => host === found.host);
    const look = (): void => {
      const isSilent = followed?.isLooking || followed?.latest?.kind === 'unavailable';
      timer = setTimeout(look, isSilent ? SILENT_EVERY_MS : everyMs);
      for (const probe of this.#probes) void probe.look().then(judge);
    };
    let timer = setTimeout(look, everyMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  /** Resolves once all sessions are closed. */
  async end(): Promise<void> {
    await Promise.all(this.#probes.map((probe) => probe.end()));
  }

  /** The latest reports, except those of hosts that have been unavailable for less than `leastUnavailableMs`. */
  #reports(leastUnavailableMs: number): HostReport[] {
    return this.#probes.flatMap(({ latest, unavailableMs }) =>
      latest === undefined || (latest.kind === 'unavailable' && unavailableMs < leastUnavailableMs)
        ? []
        : [latest],
    );
  }

  #retired(former: ServerReport, { host, timeline }: ServerReport): ConnectionFaultError {
    if (host === former.host) {
      const cause = `an operator has gone back to ${host} of ${nameOf(this.#place)} on purpose`;
      return new ConnectionFaultError({ cause, fix: 'nothing is to be done', shouldRetry: true });
    }
    return new ConnectionFaultError({
      cause: `${former.host} of ${nameOf(this.#place)} is a former primary: ${host} is on timeline ${describeTimeline(timeline)}, it is on ${describeTimeline(former.timeline)}`,
      fix: 'make it a standby, or stop it',
      shouldRetry: true,
    });
  }
}

async function settledWithin(work: Promise<unknown>, limitMs: number): Promise<void> {
  const late = new AbortController();
  await Promise.race([work, pause(limitMs, undefined, { signal: late.signal }).catch(() => {})]);
  late.abort();
}

/**
 * Returns the connection string with the primary as its only host, for immediate use. `stop` aborts the search.
 *
 * @throws ConnectionFaultError unless there is one.
 */
export async function findPrimaryUrl(url: string, place: ServerPlace, stop?: AbortSignal): Promise<string> {
  const watch = new PrimaryWatch(url, place);
  const end = (): void => void watch.end();
  stop?.addEventListener('abort', end, { once: true });
  try {
    return (await watch.find({ thorough: true })).url;
  } finally {
    stop?.removeEventListener('abort', end);
    await watch.end();
  }
}
