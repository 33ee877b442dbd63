import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import {
  type CountsSlice,
  type DocumentsSlice,
  type EventStateSlice,
  type Freshness,
  MAX_DOCUMENTS_BYTES,
} from '../../domain/event-state.ts';
import { formatPosition } from '../../domain/log-position.ts';
import type { ObservedTicket, Snapshot, TicketChange, TicketGroup } from '../sources/ticket-source.ts';
import { EventProjection } from './event-projection.ts';

const at = (lsn: number): string => formatPosition('7', 1, BigInt(lsn));
const ticket = (setor: string, entrou = false, eventId = 'a'): ObservedTicket => ({
  eventId,
  isValidTicket: true,
  entrou,
  setor,
});

function snapshotAt(lsn: number, tickets: readonly ObservedTicket[] = [], epoch = 'e'): Snapshot {
  const groups = tickets.map(({ eventId, ...kind }): TicketGroup => ({ eventId, ticket: kind, count: 1 }));
  return {
    epoch,
    position: at(lsn),
    replayedMs: null,
    takenAt: { sourceMs: 0, readAtMs: 0 },
    groups,
    sectors: new Map(),
  };
}

/** Creates a projection, and collects what it passes to its observer and logs. */
function project(eventId?: string) {
  const slices: EventStateSlice[] = [];
  const freshness: Freshness[] = [];
  const logged: Record<string, unknown>[] = [];
  const write = (line: string): void => void logged.push(JSON.parse(line) as Record<string, unknown>);
  const projection = new EventProjection({
    eventId,
    knownCodes: ['4'],
    observer: { slice: (slice) => void slices.push(slice), freshness: (is) => void freshness.push(is) },
    log: pino({ base: null }, { write }),
  });
  /** The slices since this was called last, without the documents. */
  const takeCounts = (): CountsSlice[] => slices.splice(0).filter((slice) => slice.kind === 'counts');
  return { projection, slices, freshness, logged, takeCounts };
}

function summary({ eventId, position, version, tickets, admitted, codes }: CountsSlice) {
  const present = codes
    .filter((code) => code.tickets > 0)
    .map(({ code, admitted: entered }) => [code, entered]);
  return { eventId, position, version, tickets, admitted, codes: Object.fromEntries(present) };
}

describe('the projection of a source', () => {
  test('publishes the counts of a commit when it comes, and only of the events that it changed', () => {
    const { projection, takeCounts } = project();
    projection.snapshot(snapshotAt(1, [ticket('4'), ticket('9', true, 'b')], 'first'));
    expect(takeCounts().map((slice) => [slice.epoch, summary(slice)])).toEqual([
      ['first', { eventId: 'a', position: at(1), version: 0, tickets: 1, admitted: 0, codes: { 4: 0 } }],
      ['first', { eventId: 'b', position: at(1), version: 0, tickets: 1, admitted: 1, codes: { 9: 1 } }],
    ]);
    projection.change({ before: ticket('4'), after: ticket('4', true) });
    projection.change({ before: undefined, after: ticket('4') });
    expect(takeCounts()).toEqual([]);
    expect(projection.state('a').counts).toMatchObject({ version: 0, admitted: 0 });
    projection.commit(2n);
    const [a, ...others] = takeCounts();
    expect(others).toEqual([]);
    expect(a && summary(a)).toEqual({
      eventId: 'a',
      position: at(2),
      version: 1,
      tickets: 2,
      admitted: 1,
      codes: { 4: 1 },
    });
    expect(projection.state('a')).toEqual({ eventId: 'a', counts: a, documents: undefined });
    expect([...projection.allCounts()].map(({ eventId }) => eventId)).toEqual(['a', 'b']);
  });

  test('takes the position of a commit that changes no counts, and publishes nothing for it', () => {
    const { projection, takeCounts } = project();
    expect(projection.position).toBeUndefined();
    expect(projection.snapshotCount).toBe(0);
    projection.snapshot(snapshotAt(1, [ticket('4')]));
    expect(projection.position).toBe(at(1));
    takeCounts();
    projection.commit(5n);
    expect(projection.position).toBe(at(5));
    expect(takeCounts()).toEqual([]);
    projection.snapshot(snapshotAt(3));
    expect(projection.position).toBe(at(3));
    expect(projection.snapshotCount).toBe(2);
  });

  test('a ticket that goes to another event leaves its own, in the same commit', () => {
    const { projection, takeCounts } = project();
    projection.snapshot(snapshotAt(1, [ticket('4', true, 'a')]));
    takeCounts();
    projection.change({ before: ticket('4', true, 'a'), after: ticket('4', true, 'b') });
    projection.commit(2n);
    const counted = takeCounts().map(({ eventId, tickets, admitted }) => [eventId, tickets, admitted]);
    expect(counted).toEqual([
      ['a', 0, 0],
      ['b', 1, 1],
    ]);
  });

  test('a snapshot replaces everything: tickets, changes without their commit, versions, documents', () => {
    const { projection, slices, takeCounts } = project();
    const documents = [{ code: '4', data: {} }];
    projection.snapshot({ ...snapshotAt(1, [ticket('4')]), sectors: new Map([['a', documents]]) });
    expect(projection.state('a').documents).toEqual({
      kind: 'documents',
      eventId: 'a',
      position: at(1),
      documents,
    });
    projection.change({ before: undefined, after: ticket('4') });
    projection.commit(2n);
    projection.change({ before: undefined, after: ticket('4', true) });
    takeCounts();
    projection.snapshot(snapshotAt(9, [ticket('9', true, 'b')], 'second'));
    const published = slices.map((slice) => [
      slice.kind,
      slice.eventId,
      slice.position,
      slice.kind === 'counts'
        ? [slice.epoch, slice.version, slice.tickets]
        : (slice as DocumentsSlice).documents,
    ]);
    expect(published).toEqual([
      ['counts', 'a', at(9), ['second', 0, 0]],
      ['counts', 'b', at(9), ['second', 0, 1]],
      ['documents', 'a', at(9), []],
    ]);
  });

  test('tickets that are truncated are gone at the commit, and the codes of the venue stay', () => {
    const { projection, takeCounts } = project();
    projection.snapshot(snapshotAt(1, [ticket('4', true), ticket('9')]));
    takeCounts();
    projection.truncate();
    expect(takeCounts()).toEqual([]);
    projection.commit(2n);
    const [slice] = takeCounts();
    expect(slice).toMatchObject({ tickets: 0, admitted: 0, position: at(2), version: 1 });
    expect(slice?.codes).toEqual([{ code: '4', tickets: 0, admitted: 0, valid: 0 }]);
  });

  test('its own event has counts and documents without a ticket; another has none', () => {
    const own = project('own');
    own.projection.snapshot(snapshotAt(1));
    expect(own.slices.map(({ kind, eventId }) => [kind, eventId])).toEqual([
      ['counts', 'own'],
      ['documents', 'own'],
    ]);
    expect(own.projection.state('own')).toMatchObject({
      counts: { tickets: 0, rest: { tickets: 0 } },
      documents: { documents: [] },
    });
    expect(own.projection.state('other')).toEqual({
      eventId: 'other',
      counts: undefined,
      documents: undefined,
    });
    const none = project();
    none.projection.snapshot(snapshotAt(1));
    expect(none.slices).toEqual([]);
    expect([...none.projection.allCounts()]).toEqual([]);
  });

  test('counts of an event that has no commit yet are not among all counts', () => {
    const { projection } = project();
    projection.snapshot(snapshotAt(1));
    projection.change({ before: undefined, after: ticket('4') });
    expect([...projection.allCounts()]).toEqual([]);
    projection.commit(2n);
    expect([...projection.allCounts()]).toHaveLength(1);
  });

  test('documents carry the position of the commit that changed them', () => {
    const { projection, slices } = project('a');
    expect(() => projection.sectorDocuments('a', [])).toThrow('a commit came before the first snapshot');
    projection.snapshot(snapshotAt(1));
    slices.splice(0);
    projection.commit(4n);
    projection.sectorDocuments('a', [{ code: '4', data: 1 }]);
    expect(slices).toEqual([
      { kind: 'documents', eventId: 'a', position: at(4), documents: [{ code: '4', data: 1 }] },
    ]);
    expect(projection.state('a').documents).toBe(slices[0]);
  });

  test('publishes no documents while they are too large, and logs that once until they fit again', () => {
    const { projection, slices, logged } = project();
    projection.snapshot(snapshotAt(1));
    const publishedCount = (bytes: number): number => {
      const room = bytes - JSON.stringify([{ code: '4', data: 'ç' }]).length - 1;
      projection.sectorDocuments('a', [{ code: '4', data: `ç${'x'.repeat(room)}` }]);
      return (slices.at(-1) as DocumentsSlice).documents.length;
    };
    expect([0, 1, 1, 0, 1].map((more) => publishedCount(MAX_DOCUMENTS_BYTES + more))).toEqual([
      1, 0, 0, 1, 0,
    ]);
    const limitBytes = MAX_DOCUMENTS_BYTES;
    const line = expect.objectContaining({ eventId: 'a', bytes: limitBytes + 1, limitBytes, level: 40 });
    expect(logged).toEqual([line, line]);
  });

  test('publishes event metadata as they come', () => {
    const { projection, slices } = project();
    const details = { title: 'Clássico', gatesOpenAtMs: null, kickOffAtMs: 7, timeZone: null };
    projection.metadata('a', details, at(4));
    projection.metadata('a', undefined, at(5));
    expect(slices).toEqual([
      { kind: 'details', eventId: 'a', position: at(4), details },
      { kind: 'details', eventId: 'a', position: at(5), details: undefined },
    ]);
  });

  test('is stale at first, then as the source reports', () => {
    const beforeMs = performance.now();
    const { projection, freshness } = project();
    expect(freshness).toEqual([{ live: false, verifiedAtMs: expect.any(Number), reason: 'connecting' }]);
    const [first] = freshness;
    expect(first?.live === false && first.verifiedAtMs).toBeGreaterThanOrEqual(beforeMs);
    projection.live();
    expect(projection.freshness).toEqual({ live: true });
    projection.stale('lag', 7);
    expect(projection.freshness).toEqual({ live: false, verifiedAtMs: 7, reason: 'lag' });
    expect(freshness.slice(1)).toEqual([{ live: true }, { live: false, verifiedAtMs: 7, reason: 'lag' }]);
  });

  test('invariant 3: after any history, the last counts of each event are those of a recount', () => {
    const eventIds = ['a', 'b', 'c'];
    const anyTicket = fc.record({
      eventId: fc.constantFrom(...eventIds),
      isValidTicket: fc.boolean(),
      entrou: fc.boolean(),
      setor: fc.constantFrom('4', '9', ''),
    });
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.record({ id: fc.nat(9), after: fc.option(anyTicket, { nil: undefined }) }) },
      { weight: 4, arbitrary: fc.constant('commit' as const) },
      { weight: 1, arbitrary: fc.constantFrom('truncate' as const, 'snapshot' as const) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { projection, slices } = project('a');
        const tickets = new Map<number, ObservedTicket>();
        let lsn = 1;
        projection.snapshot(snapshotAt(lsn));
        for (const next of [...steps, 'commit' as const]) {
          lsn += 1;
          if (next === 'commit') projection.commit(BigInt(lsn));
          else if (next === 'truncate') {
            tickets.clear();
            projection.truncate();
          } else if (next === 'snapshot') projection.snapshot(snapshotAt(lsn, [...tickets.values()]));
          else {
            const change: TicketChange = { before: tickets.get(next.id), after: next.after };
            if (next.after) tickets.set(next.id, next.after);
            else tickets.delete(next.id);
            projection.change(change);
          }
        }
        for (const eventId of eventIds) {
          const counts = slices.findLast((slice) => slice.kind === 'counts' && slice.eventId === eventId) as
            | CountsSlice
            | undefined;
          const present = [...tickets.values()].filter((one) => one.eventId === eventId);
          expect(projection.state(eventId).counts).toBe(counts);
          expect([counts?.tickets ?? 0, counts?.admitted ?? 0, counts?.valid ?? 0]).toEqual([
            present.length,
            present.filter(({ entrou }) => entrou).length,
            present.filter(({ isValidTicket }) => isValidTicket).length,
          ]);
        }
      }),
      { numRuns: 50 },
    );
  });
});
