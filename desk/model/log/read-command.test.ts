import { expect, test } from 'vitest';
import { readCommand } from './read-command.ts';

const CONTEXT = { sectors: ['4', '5', ''], nowMs: 1_790_000_000_000 };
const ID = '0b1c9f6e-4a51-4c6e-9d0a-2f6a3f0e7d11';

const HOUR_MS = 3_600_000;

test.each([
  { kind: 'mark', sector: '4', mark: 'unscanned' },
  { kind: 'mark', sector: '', mark: 'suspended' },
  { kind: 'mark', sector: null, mark: 'elsewhere' },
  { kind: 'mark', sector: '4', mark: 'unscanned', sinceMs: CONTEXT.nowMs - HOUR_MS },
  { kind: 'mark', sector: '4', mark: 'suspended', sinceMs: CONTEXT.nowMs + 59_000 },
  { kind: 'mark', sector: '4', mark: 'elsewhere', estimate: { count: 150, how: 'contagem manual' } },
  { kind: 'mark', sector: '4', mark: 'suspended', alarm: 'alarm:stopped:4:1795' },
  { kind: 'estimate', mark: ID, count: 1, how: 'a olho' },
  { kind: 'estimate', mark: ID, count: 1_000_000, how: 'x'.repeat(500) },
  { kind: 'take-back', entryId: ID, why: 'ended' },
  { kind: 'take-back', entryId: ID, why: 'mistake' },
  { kind: 'kick-off', kickOffAtMs: CONTEXT.nowMs + HOUR_MS },
  { kind: 'kick-off', kickOffAtMs: CONTEXT.nowMs - HOUR_MS, fromMs: null },
  { kind: 'kick-off', kickOffAtMs: CONTEXT.nowMs - HOUR_MS, fromMs: CONTEXT.nowMs },
  { kind: 'entry-closed' },
  { kind: 'evacuation' },
  { kind: 'evacuation', seenSeq: 0 },
  { kind: 'occurrence', sector: '5', text: 'Portão 3 aberto' },
  { kind: 'occurrence', sector: null, text: 'x'.repeat(500) },
  { kind: 'take-back', entryId: ID },
  { kind: 'acknowledge', alarm: 'alarm:stopped:4:1795', note: null },
  { kind: 'acknowledge', alarm: 'alarm:stopped:4:1795', note: 'portão emperrado' },
  { kind: 'suspend', rule: 'stopped', sector: '4', minutes: 15, reason: 'troca de turno' },
  { kind: 'suspend', rule: 'no-data', sector: null, minutes: 5, reason: 'manutenção' },
])('%j is a command', (command) => {
  expect(readCommand({ id: ID, ...command }, CONTEXT)).toEqual({ id: ID, ...command });
});

test('an id is written in one way, and an occurrence needs no sector', () => {
  const command = readCommand({ id: ID.toUpperCase(), kind: 'occurrence', text: ' chuva ' }, CONTEXT);
  expect(command).toEqual({ id: ID, kind: 'occurrence', sector: null, text: 'chuva' });
});

test.each([
  ['body', null],
  ['body', []],
  ['body', 'text'],
  ['kind', {}],
  ['kind', { kind: 'toString' }],
  ['kind', { kind: '__proto__' }],
  ['kind', { kind: ['mark'] }],
  ['body', { kind: 'evacuation', atMs: 1 }],
  ['body', { kind: 'entry-closed', sector: '4' }],
  ['id', { kind: 'evacuation', id: undefined }],
  ['seenSeq', { kind: 'evacuation', seenSeq: -1 }],
  ['seenSeq', { kind: 'evacuation', seenSeq: '1' }],
  ['alarm', { kind: 'acknowledge' }],
  ['alarm', { kind: 'acknowledge', alarm: 'x'.repeat(201) }],
  ['alarm', { kind: 'mark', sector: '4', mark: 'suspended', alarm: '' }],
  ['note', { kind: 'acknowledge', alarm: 'a', note: 'x'.repeat(501) }],
  ['note', { kind: 'acknowledge', alarm: 'a', note: 'two\nlines' }],
  ['rule', { kind: 'suspend', rule: 'toString', sector: '4', minutes: 5, reason: 'x' }],
  ['sector', { kind: 'suspend', rule: 'stopped', sector: '6', minutes: 5, reason: 'x' }],
  ['minutes', { kind: 'suspend', rule: 'stopped', sector: '4', minutes: 6, reason: 'x' }],
  ['minutes', { kind: 'suspend', rule: 'stopped', sector: '4', minutes: '5', reason: 'x' }],
  ['reason', { kind: 'suspend', rule: 'stopped', sector: '4', minutes: 5 }],
  ['id', { kind: 'evacuation', id: 'x' }],
  ['id', { kind: 'evacuation', id: `${ID}\n` }],
  ['id', { kind: 'evacuation', id: [ID] }],
  ['sector', { kind: 'mark', mark: 'unscanned' }],
  ['sector', { kind: 'mark', mark: 'unscanned', sector: '6' }],
  ['sector', { kind: 'mark', mark: 'unscanned', sector: 4 }],
  ['mark', { kind: 'mark', sector: '4', mark: 'closed' }],
  ['sinceMs', { kind: 'mark', sector: '4', mark: 'unscanned', sinceMs: CONTEXT.nowMs + 61_000 }],
  ['sinceMs', { kind: 'mark', sector: '4', mark: 'unscanned', sinceMs: CONTEXT.nowMs - 25 * HOUR_MS }],
  ['sinceMs', { kind: 'mark', sector: '4', mark: 'unscanned', sinceMs: '18:33' }],
  ['estimate', { kind: 'mark', sector: '4', mark: 'suspended', estimate: { count: 1, how: 'x' } }],
  ['estimate', { kind: 'mark', sector: '4', mark: 'unscanned', estimate: 150 }],
  ['how', { kind: 'mark', sector: '4', mark: 'unscanned', estimate: { count: 150 } }],
  ['mark', { kind: 'estimate', count: 1, how: 'x' }],
  ['count', { kind: 'estimate', mark: ID, how: 'x' }],
  ['count', { kind: 'estimate', mark: ID, count: 0, how: 'x' }],
  ['count', { kind: 'estimate', mark: ID, count: 1.5, how: 'x' }],
  ['count', { kind: 'estimate', mark: ID, count: 1_000_001, how: 'x' }],
  ['how', { kind: 'estimate', mark: ID, count: 1, how: ' ' }],
  ['why', { kind: 'take-back', entryId: ID, why: 'over' }],
  ['kickOffAtMs', { kind: 'kick-off' }],
  ['kickOffAtMs', { kind: 'kick-off', kickOffAtMs: String(CONTEXT.nowMs) }],
  ['kickOffAtMs', { kind: 'kick-off', kickOffAtMs: CONTEXT.nowMs / 1_000 }],
  ['kickOffAtMs', { kind: 'kick-off', kickOffAtMs: CONTEXT.nowMs + 0.5 }],
  ['kickOffAtMs', { kind: 'kick-off', kickOffAtMs: CONTEXT.nowMs + 25 * HOUR_MS }],
  ['fromMs', { kind: 'kick-off', kickOffAtMs: CONTEXT.nowMs, fromMs: 'agora' }],
  ['text', { kind: 'occurrence' }],
  ['text', { kind: 'occurrence', text: 'x'.repeat(501) }],
  ['text', { kind: 'occurrence', text: 'one\ntwo' }],
  ['entryId', { kind: 'take-back' }],
  ['entryId', { kind: 'take-back', entryId: '' }],
  ['entryId', { kind: 'take-back', entryId: 'x'.repeat(201) }],
])('what cannot be taken is named: %s of %j', (field, body) => {
  const given =
    body !== null && typeof body === 'object' && !Array.isArray(body) ? { id: ID, ...body } : body;
  expect(() => readCommand(given, CONTEXT)).toThrow(expect.objectContaining({ name: 'FieldError', field }));
});
