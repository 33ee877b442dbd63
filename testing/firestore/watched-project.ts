import { pino } from 'pino';
import { expect } from 'vitest';
import type { Ticket } from '../../domain/tally.ts';
import type { FirestoreLimits } from '../../board/sources/firestore/limits.ts';
import { FirestoreSource } from '../../board/sources/firestore/firestore-source.ts';
import { closeOnce } from '../close-once.ts';
import { newEventId } from '../database/database.ts';
import { type KindCounts, kindOf, SourceRecorder } from '../sources/source-recorder.ts';
import { until } from '../until.ts';
import { type DriverSettings, type FirestoreDriver, openFirestoreDriver } from './source-driver.ts';
import { SHORT_LIMITS } from './source-limits.ts';

export const OUTSIDE: Ticket = { isValidTicket: true, entrou: false, setor: '4' };
export const INSIDE: Ticket = { ...OUTSIDE, entrou: true };

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [key: string]: unknown;
}

/** A source that runs, and everything that it passes on and logs. */
export interface Watch {
  readonly source: FirestoreSource;
  readonly observer: SourceRecorder;
  readonly log: readonly LogLine[];
  /** What `run` has rejected with. */
  readonly failure: Error | undefined;
  /** Stops it, and asserts that the source has done nothing forbidden. */
  readonly stop: () => Promise<void>;
  /** Waits until it is live, with everything that was committed. */
  readonly expectExact: (limitMs?: number) => Promise<void>;
  /** Waits until it is not live, for this reason. */
  readonly expectStale: (reason: RegExp) => Promise<void>;
}

/** A project with the tickets of one event, and sources of it. */
export interface WatchedProject {
  readonly driver: FirestoreDriver;
  readonly eventId: string;
  /** In one commit; `undefined` removes a ticket. */
  commit(tickets: Readonly<Record<string, Ticket | undefined>>): Promise<void>;
  /** What was committed is forgotten, as the project has forgotten it. */
  forget(): void;
  watch(limits?: Partial<FirestoreLimits>): Watch;
}

export async function openWatchedProject(
  place: { readonly host: string },
  settings: DriverSettings = {},
): Promise<WatchedProject> {
  let limitsOf: FirestoreLimits = SHORT_LIMITS;
  let write = (_line: string): void => {};
  const driver = await openFirestoreDriver(
    place,
    (own, options) =>
      new FirestoreSource({
        ...options,
        settings: own,
        limits: limitsOf,
        log: pino({ base: null }, { write }),
      }),
    settings,
  );
  const eventId = newEventId();
  const tickets = new Map<string, Ticket>();

  function expected(): KindCounts {
    const counts: Record<string, number> = {};
    for (const ticket of tickets.values()) {
      const kind = kindOf(eventId, ticket);
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    return counts;
  }

  return {
    driver,
    eventId,
    async commit(changed) {
      await driver.commit(Object.entries(changed).map(([id, ticket]) => ({ eventId, id, ticket })));
      for (const [id, ticket] of Object.entries(changed)) {
        if (ticket) tickets.set(id, ticket);
        else tickets.delete(id);
      }
    },
    forget: () => tickets.clear(),
    watch(limits = {}) {
      const log: LogLine[] = [];
      limitsOf = { ...SHORT_LIMITS, ...limits };
      write = (line) => void log.push(JSON.parse(line) as LogLine);
      const source = driver.open({ eventId, wantsMetadata: true }) as FirestoreSource;
      const observer = new SourceRecorder();
      let failure: Error | undefined;
      const running = source.run(observer).catch((error: Error) => (failure = error));
      return {
        source,
        observer,
        log,
        get failure() {
          return failure;
        },
        stop: closeOnce(async () => {
          observer.isOver = true;
          await source.stop();
          await running;
          expect(observer.breaches).toEqual([]);
        }),
        expectExact: (limitMs) =>
          until(() => {
            expect(observer.counts).toEqual(expected());
            expect([observer.isLive, source.state]).toEqual([true, { kind: 'live' }]);
          }, limitMs),
        expectStale: (reason) =>
          until(() => {
            expect([observer.isLive, source.state]).toEqual([
              false,
              { kind: 'waiting', reason: expect.stringMatching(reason) },
            ]);
          }),
      };
    },
  };
}
