import { describe, expect, test } from 'vitest';
import type { EventDetails } from '../../domain/event-details.ts';
import type { Ticket } from '../../domain/tally.ts';
import type { SourceInstant, SourceOptions, TicketSource } from '../../board/sources/ticket-source.ts';
import { closeOnce } from '../close-once.ts';
import { IS_FULL } from '../durations.ts';
import { newEventId } from '../database/database.ts';
import { openForEach } from '../open-for-tests.ts';
import { type KindCounts, kindOf, SourceRecorder } from './source-recorder.ts';
import { until } from '../until.ts';

interface TicketWrite {
  readonly eventId: string;
  readonly id: string;
  /** What the ticket is from now on; `undefined`: it is removed. */
  readonly ticket: Ticket | undefined;
}

/** Does to the place where the tickets are what a test needs. Each write has been committed when it resolves. */
export interface SourceDriver {
  /** Whether a source of one event passes on the tickets of the others, and a source of all events can be opened. */
  readonly knowsAllEvents: boolean;
  /** A source of this place. Its limits are as short as they can be. */
  open(options: Pick<SourceOptions, 'eventId' | 'wantsMetadata'>): TicketSource;
  /** In one commit, in this order. */
  commit(writes: readonly TicketWrite[]): Promise<void>;
  /** Removes all tickets of all events, as quickly as this place can. */
  removeAll(): Promise<void>;
  /** `undefined` as data removes the document. */
  writeDocument(eventId: string, code: string, data: object | undefined): Promise<void>;
  writeMetadata(eventId: string, metadata: EventDetails | undefined): Promise<void>;
  /** The connections of sources are reset, and so are new ones, until `restore`. */
  cut(): void;
  /** Nothing passes between sources and the place, and neither side is ever notified, until `restore`. */
  swallow(): void;
  restore(): void;
  /** How many connections of sources the place knows. */
  connections(): Promise<number>;
}

const [EVENT, OTHER] = [newEventId(), newEventId()];
const OUTSIDE: Ticket = { isValidTicket: true, entrou: false, setor: '4' };
const INSIDE: Ticket = { ...OUTSIDE, entrou: true };
const KICK_OFF_MS = Date.UTC(2026, 4, 3, 19);
const METADATA: EventDetails = {
  title: 'Palestra × Atlético',
  gatesOpenAtMs: KICK_OFF_MS - 10_800_000,
  kickOffAtMs: KICK_OFF_MS,
  timeZone: 'America/Fortaleza',
};

const write = (id: string, ticket?: Ticket, eventId = EVENT): TicketWrite => ({ eventId, id, ticket });

/** The behaviour that counting, flow and fleet rely on, whatever source it is. */
export function describeSource(kind: string, openDriver: () => Promise<SourceDriver>): void {
  describe(`the source ${kind}`, () => {
    const driver = openForEach(openDriver);
    const tickets = openForEach(() => new Map<string, TicketWrite>());

    async function commit(...writes: readonly TicketWrite[]): Promise<void> {
      await driver.commit(writes);
      for (const each of writes) tickets.set(`${each.eventId} ${each.id}`, each);
    }

    function expected(): KindCounts {
      const counts: Record<string, number> = {};
      for (const { eventId, ticket } of tickets.values()) {
        const isKnown = driver.knowsAllEvents || eventId === EVENT;
        const key = ticket && isKnown ? kindOf(eventId, ticket) : undefined;
        if (key !== undefined) counts[key] = (counts[key] ?? 0) + 1;
      }
      return counts;
    }

    /** A source that runs, with all that it passes on. */
    function run({ ofAllEvents = false, wantsMetadata = true } = {}) {
      const source = driver.open({ eventId: ofAllEvents ? undefined : EVENT, wantsMetadata });
      const observer = new SourceRecorder();
      const running = source.run(observer);
      const stop = closeOnce(async () => {
        observer.isOver = true;
        await source.stop();
        await running;
        expect(observer.breaches).toEqual([]);
      });
      return { source, observer, stop };
    }

    type Run = ReturnType<typeof run>;

    /** It is live, with everything that was committed. */
    function untilEqual({ observer, source }: Run): Promise<void> {
      return until(() => {
        expect(observer.counts).toEqual(expected());
        expect([observer.isLive, source.state]).toEqual([true, { kind: 'live' }]);
      });
    }

    async function runUntilLive(options?: Parameters<typeof run>[0]): Promise<Run> {
      const running = run(options);
      await untilEqual(running);
      return running;
    }

    /** A source of one event, and one of all events where there is such a one. */
    async function runOfOneAndAll(): Promise<readonly [Run, ...Run[]]> {
      const one = await runUntilLive();
      return driver.knowsAllEvents ? [one, await runUntilLive({ ofAllEvents: true })] : [one];
    }

    async function untilStale({ observer, source }: Run): Promise<void> {
      await until(() => expect([observer.isLive, source.state.kind]).toEqual([false, 'waiting']));
      expect(source.state).toMatchObject({ reason: expect.stringMatching(/\S/) });
      expect(observer.stales.at(-1)?.sinceMs).toBe(source.verifiedAtMs);
    }

    test('begins with one snapshot of everything that is there, and is live then', async () => {
      await commit(write('a', OUTSIDE), write('b', INSIDE), write('c', { ...INSIDE, setor: '' }));
      await commit(write('a', { ...OUTSIDE, isValidTicket: false }, OTHER));
      const begunAtMs = performance.now();
      const { source, observer } = await runUntilLive();
      expect([observer.snapshots.length, observer.commits, observer.stales]).toEqual([1, [], []]);
      expect(source.verifiedAtMs).toBeGreaterThanOrEqual(begunAtMs);
      expect(source.warning).toBeUndefined();
    });

    test('passes each commit on once, with what every ticket was before and is after it', async () => {
      const { observer } = await runUntilLive();
      const steps = [
        [undefined, OUTSIDE],
        [OUTSIDE, INSIDE],
        [INSIDE, { ...INSIDE, setor: '9' }],
        [{ ...INSIDE, setor: '9' }, undefined],
      ] as const;
      for (const [before, after] of steps) {
        const fromMs = Date.now();
        await commit(write('a', after));
        const toMs = Date.now();
        await until(() => expect(observer.counts).toEqual(expected()));
        const [change, ...more] = observer.commits.splice(0).flat();
        expect(more).toEqual([]);
        const of = (ticket: Ticket | undefined) => ticket && { ...ticket, eventId: EVENT };
        expect([change?.before, change?.after]).toEqual([of(before), of(after)]);
        expect(change?.madeAtMs).toBeGreaterThan(fromMs - 1);
        // When a ticket was removed, a source may know only by when it was.
        expect(change?.madeAtMs).toBeLessThan((after ? toMs : Date.now()) + 1);
      }
    });

    test('passes a ticket of another event on as such, and one that goes there as gone', async () => {
      await commit(write('a', INSIDE), write('a', INSIDE, OTHER));
      const { observer } = await runUntilLive();
      await commit(write('b', INSIDE, OTHER));
      await commit(write('a'), write('c', INSIDE, OTHER));
      await until(() => expect(observer.counts).toEqual(expected()));
    });

    test('passes a commit of many tickets on as one, and what is removed at once as gone', async () => {
      const { observer } = await runUntilLive();
      const ids = Array.from({ length: 300 }, (_, n) => `t${n}`);
      await commit(...ids.map((id) => write(id, OUTSIDE)));
      await until(() => expect(observer.counts).toEqual(expected()));
      await commit(...ids.map((id) => write(id, INSIDE)), write('moved', OUTSIDE), write('moved', INSIDE));
      await until(() => expect(observer.counts).toEqual(expected()));
      expect(observer.commits).toHaveLength(2);
      await driver.removeAll();
      tickets.clear();
      await until(() => expect(observer.counts).toEqual({}));
      await commit(write('a', INSIDE));
      await until(() => expect(observer.counts).toEqual(expected()));
      expect(observer.snapshots).toHaveLength(1);
    });

    test('has caught up to one instant after the other, also while nothing happens, and to none too early', async () => {
      const watch = await runUntilLive();
      const { observer } = watch;
      const clockMs = ({ sourceMs, readAtMs }: SourceInstant): number => sourceMs - readAtMs;
      const takenAt = observer.snapshots[0]?.takenAt;
      expect(Math.abs((takenAt ? clockMs(takenAt) : NaN) - performance.timeOrigin)).toBeLessThan(5_000);
      await until(() => expect(observer.caughtUp.length).toBeGreaterThan(2));
      const writer = async (name: string): Promise<void> => {
        for (let n = 0; n < 40; n += 1)
          await commit(write(`${name}${n % 7}`, n % 2 === 0 ? OUTSIDE : INSIDE));
      };
      await Promise.all(['a', 'b', 'c', 'd'].map(writer));
      const writtenAtMs = Date.now();
      await untilEqual(watch);
      await until(() => expect(observer.caughtUp.at(-1)?.sourceMs).toBeGreaterThan(writtenAtMs));
      expect(watch.source.verifiedAtMs).toBeGreaterThan(writtenAtMs - performance.timeOrigin - 1);
    });

    test('passes sector documents on with the snapshot and whenever they change, of its event or of all', async () => {
      await driver.writeDocument(EVENT, '4', { nome: 'NORTE' });
      const [one, ...ofAll] = await runOfOneAndAll();
      const ofEvent = ({ observer }: Run) => observer.documents.get(EVENT);
      for (const watch of [one, ...ofAll])
        expect(ofEvent(watch)).toEqual([{ code: '4', data: { nome: 'NORTE' } }]);
      await driver.writeDocument(EVENT, '11', { portões: [1, 'dois', null] });
      await driver.writeDocument(OTHER, '5', {});
      await driver.writeDocument(EVENT, '4', undefined);
      for (const watch of [one, ...ofAll])
        await until(() =>
          expect(ofEvent(watch)).toEqual([{ code: '11', data: { portões: [1, 'dois', null] } }]),
        );
      for (const { observer } of ofAll)
        expect(observer.documents.get(OTHER)).toEqual([{ code: '5', data: {} }]);
      expect(one.observer.documents.has(OTHER)).toBe(false);
    });

    test('passes event metadata on at first and whenever they change, where they are wanted', async () => {
      await driver.writeMetadata(OTHER, METADATA);
      const [one, ...ofAll] = await runOfOneAndAll();
      const none = await runUntilLive({ wantsMetadata: false });
      const of = ({ observer }: Run) => observer.metadataOf;
      await until(() => expect(of(one)).toEqual(new Map([[EVENT, undefined]])));
      for (const all of ofAll) await until(() => expect(of(all)).toEqual(new Map([[OTHER, METADATA]])));
      const later = { ...METADATA, title: 'Clássico', gatesOpenAtMs: null, timeZone: null };
      await driver.writeMetadata(EVENT, later);
      await driver.writeMetadata(OTHER, undefined);
      await until(() => expect(of(one)).toEqual(new Map([[EVENT, later]])));
      const both = new Map([OTHER, EVENT].map((event) => [event, event === EVENT ? later : undefined]));
      for (const all of ofAll) await until(() => expect(of(all)).toEqual(both));
      expect(of(none).size).toBe(0);
    });

    test('knows the kick-offs of events, whether it runs or not', async () => {
      await driver.writeMetadata(OTHER, METADATA);
      await driver.writeMetadata(EVENT, { ...METADATA, kickOffAtMs: null });
      const source = driver.open({ eventId: EVENT, wantsMetadata: false });
      closeOnce(() => source.stop());
      expect(await source.kickOffsOf([EVENT, OTHER, newEventId()])).toEqual(new Map([[OTHER, KICK_OFF_MS]]));
    });

    test('is not live before its first snapshot, with a reason', async () => {
      driver.cut();
      const watch = run();
      await untilStale(watch);
      await commit(write('a', INSIDE));
      expect(watch.observer).toMatchObject({ snapshots: [], position: undefined });
      driver.restore();
      await untilEqual(watch);
    });

    const LOSSES = [
      ['swallow', 'stale'],
      ['cut', undefined],
      ['swallow', undefined],
      ['cut', 'stale'],
    ] as const;
    test.each(LOSSES.slice(0, IS_FULL ? 4 : 2))(
      'is stale since it was last verified when its connection is lost (%s), then live again with all of it, though its observer throws at %s',
      async (lose, throwsAt) => {
        await commit(write('a', OUTSIDE), write('b', INSIDE));
        const watch = await runUntilLive();
        const { source, observer } = watch;
        observer.throwsAt = throwsAt;
        const liveAtMs = performance.now();
        driver[lose]();
        await commit(write('a', INSIDE), write('b'));
        await untilStale(watch);
        expect(source.verifiedAtMs).toBeLessThan(performance.now());
        await commit(write('c', INSIDE));
        expect(observer.counts).not.toEqual(expected());
        driver.restore();
        await untilEqual(watch);
        expect(source.verifiedAtMs).toBeGreaterThan(liveAtMs);
        expect(new Set(observer.snapshots.map(({ epoch }) => epoch)).size).toBe(observer.snapshots.length);
      },
    );

    const MEMBERS = [
      'snapshot',
      'change',
      'live',
      'commit',
      'sectorDocuments',
      'metadata',
      'caughtUpTo',
    ] as const;
    test.each(MEMBERS.slice(0, IS_FULL ? 7 : 2))(
      'begins anew where its observer throws at %s',
      async (member) => {
        await commit(write('a', OUTSIDE));
        const watch = run();
        const { observer } = watch;
        observer.throwsAt = member;
        if (member !== 'snapshot' && member !== 'live') await untilEqual(watch);
        await commit(write('a', INSIDE));
        await driver.writeDocument(EVENT, '4', {});
        await driver.writeMetadata(EVENT, METADATA);
        await until(() => expect(observer.throwsAt).toBeUndefined());
        await until(() => expect(observer.stales.length).toBeGreaterThan(0));
        await untilEqual(watch);
        await until(() => expect(observer.documents.get(EVENT)).toEqual([{ code: '4', data: {} }]));
        await until(() => expect(observer.metadataOf.get(EVENT)).toEqual(METADATA));
      },
    );

    test('passes nothing on once it is stopped, whenever that is, and leaves no connection behind', async () => {
      const { stop } = await runUntilLive();
      const writing = Array.from({ length: 20 }, (_, n) => commit(write(`t${n}`, INSIDE)));
      await stop();
      await Promise.all(writing);
      const atOnce = run();
      await atOnce.stop();
      expect(atOnce.observer.snapshots).toEqual([]);
      await until(async () => expect(await driver.connections()).toBe(0));
    });
  });
}
