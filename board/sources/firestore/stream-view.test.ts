import { expect, test } from 'vitest';
import { encode } from '../../../testing/firestore/stand-in/protocol.ts';
import type { ListenResponse } from '../../../testing/firestore/stand-in/messages.ts';
import { placeOf } from './firestore-place.ts';
import { decodeListenResponse } from './messages.ts';
import type { Target } from './requests.ts';
import { StreamView } from './stream-view.ts';
import { TicketBatch, TicketMemory } from './ticket-memory.ts';

const PLACE = placeOf(
  {
    kind: 'firestore',
    project: 'p',
    database: '(default)',
    collection: 'events/{event}/tickets',
    credentials: { kind: 'emulator-owner' },
    emulatorHost: undefined,
    authEmulatorHost: undefined,
    dataDir: undefined,
  },
  'jogo-1',
);
const EVENT = `${PLACE.database}/documents/events/jogo-1`;
const [NO_CHANGE, REMOVE, CURRENT, RESET] = [0, 2, 3, 4] as const;

/** The targets are, in their order: 1 the event, 2 the sectors, 3 the tickets. */
const [EVENT_ID, SECTORS, TICKETS] = [1, 2, 3];

function openView({ resumeToken = undefined as Buffer | undefined, known = [] as readonly string[] } = {}) {
  const memory = new TicketMemory('jogo-1');
  const tickets = new TicketBatch(true);
  const ticket = { isValidTicket: true, entrou: false, setor: '4', isMalformed: false };
  for (const id of known) memory.addTo(tickets, id, ticket, 1);
  memory.apply({ readTimeUs: 1, resumeToken, tickets });
  const targets: Target[] = [];
  const removed: number[] = [];
  const refused: string[] = [];
  const mismatches: (readonly number[])[] = [];
  const read: string[] = [];
  const view = new StreamView({
    place: PLACE,
    memory,
    wantsMetadata: true,
    add: (target) => void targets.push(target),
    remove: (id) => void removed.push(id),
    onRefused: (of, { code }) => void refused.push(`${of} ${code}`),
    onFilterMismatch: (...counts) => void mismatches.push(counts),
    onDocumentRead: (of) => void read.push(of),
  });
  const take = (message: ListenResponse): number | undefined => {
    const response = decodeListenResponse(encode('ListenResponse', message));
    if (!response) throw new Error('the response is of no known kind');
    return view.take(response);
  };
  const change = (targetChangeType: 0 | 1 | 2 | 3 | 4, targetIds: readonly number[], code?: number) =>
    take({ targetChange: { targetChangeType, targetIds, ...(code && { cause: { code, message: '' } }) } });
  const document = (path: string, targetIds: readonly number[], fields = {}) =>
    take({
      documentChange: {
        document: { name: `${EVENT}${path}`, fields, updateTime: { seconds: 5 } },
        targetIds,
        removedTargetIds: [],
      },
    });
  /** The whole stream is consistent. */
  const reach = (seconds: number) => {
    const readTime = { seconds };
    const at = take({
      targetChange: { targetChangeType: NO_CHANGE, resumeToken: Buffer.from('t'), readTime },
    });
    return at === undefined ? undefined : view.read(at, Buffer.from('t'));
  };
  return { view, memory, targets, removed, refused, mismatches, read, take, change, document, reach };
}

test('a stream is read once everything is current and the whole of it is consistent, and from then on what is new', () => {
  const { view, targets, read, change, document, reach } = openView();
  expect(targets).toEqual([
    { id: EVENT_ID, of: { document: EVENT }, resumeToken: undefined },
    { id: SECTORS, of: { query: PLACE.sectors }, resumeToken: undefined },
    { id: TICKETS, of: { query: PLACE.tickets }, resumeToken: undefined },
  ]);
  document('/tickets/a', [TICKETS]);
  document('/sectors/4', [SECTORS], { nome: { stringValue: 'NORTE' } });
  document('', [EVENT_ID], { title: { stringValue: 'Clássico' } });
  change(CURRENT, [EVENT_ID, SECTORS]);
  expect([reach(10), view.isCurrent]).toEqual([undefined, false]);
  document('/tickets/b', [TICKETS]);
  change(CURRENT, [TICKETS]);
  const reading = reach(11);
  expect(reading).toMatchObject({
    readTimeUs: 11e6,
    tickets: { ids: ['a', 'b'], isWhole: true },
    sectors: [{ code: '4', data: { nome: 'NORTE' } }],
    metadata: { title: 'Clássico' },
  });
  expect(read).toEqual(['tickets', 'sectors', 'event', 'tickets']);
  document('/tickets/a', [TICKETS, 99]);
  expect(reach(12)).toMatchObject({ tickets: { ids: ['a'], isWhole: false }, sectors: undefined });
  expect(() => reach(11)).toThrow('its read time went back');
});

test('a query without a result is billed as one document', () => {
  const { read, change } = openView();
  change(CURRENT, [TICKETS, SECTORS, EVENT_ID]);
  change(CURRENT, [TICKETS]);
  expect(read.toSorted()).toEqual(['event', 'sectors', 'tickets']);
});

test('a stream continues from the token of the memory, and is complete after a reset', () => {
  const { targets, change, document, reach } = openView({ resumeToken: Buffer.from('old'), known: ['a'] });
  expect(targets.map(({ resumeToken }) => resumeToken?.toString())).toEqual([undefined, undefined, 'old']);
  change(CURRENT, [TICKETS, SECTORS, EVENT_ID]);
  expect(reach(10)).toMatchObject({ tickets: { ids: [], isWhole: false }, sectors: [] });
  document('/tickets/b', [TICKETS]);
  // Of all targets.
  change(RESET, []);
  expect(reach(11)).toBeUndefined();
  document('/tickets/c', [TICKETS]);
  change(CURRENT, []);
  expect(reach(12)).toMatchObject({ tickets: { ids: ['c'], isWhole: true } });
});

test('what is removed or leaves the view is gone', () => {
  const { memory, change, document, take, reach } = openView();
  for (const id of 'abc') document(`/tickets/${id}`, [TICKETS]);
  document('/sectors/4', [SECTORS]);
  document('', [EVENT_ID], { title: { stringValue: 'Clássico' } });
  change(CURRENT, []);
  const first = reach(10);
  if (first) memory.apply(first);
  const readTime = { seconds: 11 };
  take({ documentDelete: { document: `${EVENT}/tickets/a`, removedTargetIds: [TICKETS], readTime } });
  take({ documentRemove: { document: `${EVENT}/tickets/b`, removedTargetIds: [TICKETS], readTime } });
  take({ documentDelete: { document: `${EVENT}/sectors/4`, removedTargetIds: [SECTORS], readTime } });
  take({ documentDelete: { document: EVENT, removedTargetIds: [EVENT_ID], readTime } });
  const next = reach(12);
  expect(next).toMatchObject({ sectors: [], metadata: undefined });
  if (next) memory.apply(next);
  expect(memory.copy()?.ids).toEqual(['c']);
});

test('a filter that matches changes nothing; one that does not has the tickets read again without a token', () => {
  const { memory, targets, removed, mismatches, take, change, document, reach } = openView({
    resumeToken: Buffer.from('old'),
    known: ['a', 'b'],
  });
  document('/tickets/c', [TICKETS]);
  take({ documentDelete: { document: `${EVENT}/tickets/a`, removedTargetIds: [TICKETS], readTime: {} } });
  take({ filter: { targetId: TICKETS, count: 2 } });
  take({ filter: { targetId: SECTORS, count: 9 } });
  expect(mismatches).toEqual([]);
  take({ filter: { targetId: TICKETS, count: 3 } });
  expect([mismatches, removed, memory.resumeToken]).toEqual([[[3, 2]], [TICKETS], undefined]);
  expect(targets.at(-1)).toEqual({ id: 4, of: { query: PLACE.tickets }, resumeToken: undefined });
  change(CURRENT, [TICKETS, SECTORS, EVENT_ID]);
  document('/tickets/z', [TICKETS]);
  expect(reach(10)).toBeUndefined();
  document('/tickets/b', [4]);
  change(CURRENT, [4]);
  expect(reach(11)).toMatchObject({ tickets: { ids: ['b'], isWhole: true } });
});

test('the counts do without targets that are refused', () => {
  const { refused, change, document, reach } = openView();
  change(REMOVE, [SECTORS], 7);
  change(REMOVE, [EVENT_ID], 7);
  document('/tickets/a', [TICKETS]);
  change(CURRENT, [TICKETS]);
  expect(reach(10)).toMatchObject({ tickets: { ids: ['a'] }, sectors: [], metadata: undefined });
  expect(refused).toEqual(['sectors 7', 'event 7']);
});

test('a document of another collection is no ticket', () => {
  const { document } = openView();
  expect(() => document('/outros/a', [TICKETS])).toThrow('a ticket is in another collection');
});
