import { performance } from 'node:perf_hooks';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { MalformedWarning } from './malformed-warning.ts';
import { TicketBatch, TicketMemory } from './ticket-memory.ts';

afterEach(() => void vi.restoreAllMocks());

test('malformed tickets are logged when their number has changed, once a minute, and never that there are none', () => {
  const memory = new TicketMemory('jogo-1');
  const logged: unknown[] = [];
  const log = pino({ base: null }, { write: (line) => void logged.push(JSON.parse(line)) });
  const malformed = new MalformedWarning(memory, log);
  let readTimeUs = 0;
  const lookAt = (count: number): void => {
    readTimeUs += 1;
    const tickets = new TicketBatch(true);
    const ticket = { isValidTicket: true, entrou: true, setor: '4', isMalformed: true };
    for (let n = 0; n < count; n += 1) memory.addTo(tickets, `m${n}`, ticket, readTimeUs);
    memory.apply({ readTimeUs, resumeToken: undefined, tickets });
    malformed.look();
  };
  let nowMs = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  lookAt(0);
  lookAt(2);
  lookAt(3);
  nowMs += 60_000;
  lookAt(0);
  lookAt(1);
  expect(logged).toMatchObject([{ malformed: 2, some: ['m0', 'm1'] }, { malformed: 1 }]);
});
