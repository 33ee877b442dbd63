import { expect, test } from 'vitest';
import type { AlarmNotice } from '../model/alarms/alarm.ts';
import type { LogEntry, LogRow } from '../model/log/flow-log.ts';
import { chain, occurrence } from '../../testing/desk/log-rows.ts';
import { type AlarmMessageContext, toAlarmMessage } from './alarm-message.ts';

const EVENT_ID = 'e'.repeat(32);
/** 18:29 in São Paulo. */
const AT_MS = Date.UTC(2026, 10, 22, 21, 29);
const ALARM_ID = `alarm:stopped:7:${AT_MS}`;
const NAMES = new Map([
  ['7', 'SUL DORIL'],
  ['4', 'NORTE'],
]);
const STOPPED: AlarmNotice = {
  rule: 'stopped',
  figures: {
    silentSinceMs: AT_MS - 130_000,
    windowMs: 120_000,
    before: 42.4,
    admitted: 1_200,
    valid: 5_480,
  },
};

function entry(id: string, kind: LogEntry['kind'], data: unknown, by: string | null = null): LogEntry {
  return { ...occurrence(id, '', AT_MS), by, sector: '7', kind, data } as LogEntry;
}

function messagesOf(
  entries: readonly LogEntry[],
  context: Partial<AlarmMessageContext> = {},
): (Record<string, unknown> & { id: string; text: string })[] {
  const rows: readonly LogRow[] = chain(EVENT_ID, entries);
  return rows.flatMap((row) => {
    const message = toAlarmMessage(row, {
      eventId: EVENT_ID,
      title: 'Palestra × Atlético',
      timeZone: 'America/Sao_Paulo',
      nameOf: (code) => NAMES.get(code) ?? 'Outros',
      find: (id) => rows.find((other) => other.id === id),
      ...context,
    });
    return message ? [{ id: message.id, ...(JSON.parse(message.body) as { text: string }) }] : [];
  });
}

test('the message of a raised alarm explains it, to programs and to people', () => {
  const [message] = messagesOf([entry(ALARM_ID, 'alarm', STOPPED)]);
  expect(message).toEqual({
    id: expect.stringMatching(/^alarm_[0-9a-f]{32}$/) as string,
    type: 'alarm.raised',
    timestamp: '2026-11-22T21:29:00.000Z',
    text: '18:29 · SUL DORIL: nenhum acesso registrado desde 18:26 (antes, 42 por minuto)',
    data: {
      event: { id: EVENT_ID, title: 'Palestra × Atlético' },
      alarm: ALARM_ID,
      rule: 'stopped',
      sectors: [{ code: '7', name: 'SUL DORIL' }],
      figures: {
        silentSinceMs: AT_MS - 130_000,
        windowMs: 120_000,
        before: 42.4,
        admitted: 1_200,
        valid: 5_480,
      },
      since: '2026-11-22T21:29:00.000Z',
      by: null,
      note: null,
      why: null,
      source: 'live',
    },
  });
});

test('messages of later entries name their alarm and the operator; other entries are not sent', () => {
  const messages = messagesOf([
    entry(ALARM_ID, 'alarm', STOPPED),
    occurrence('told'),
    entry('ack', 'acknowledge', { alarm: ALARM_ID, note: 'portão emperrado' }, 'Ana'),
    entry('again', 'alarm-again', { alarm: ALARM_ID, why: 'unresolved' }),
    entry('suspended', 'alarm-again', { alarm: ALARM_ID, why: 'recurred', isSilent: true }),
    entry('back', 'alarm-returned', { alarm: ALARM_ID, why: 'resolved' }),
    entry('retired', 'alarm-returned', { alarm: ALARM_ID, why: 'withdrawn' }),
    entry('mark', 'mark', { mark: 'unscanned', alarm: ALARM_ID }, 'Bia'),
    entry('other mark', 'mark', { mark: 'unscanned' }, 'Bia'),
    entry('sent', 'notified', { id: 'ack', status: 200 }),
    entry('unknown', 'acknowledge', { alarm: 'alarm:of:nobody', note: null }, 'Ana'),
  ]);
  expect(messages.map(({ type, text, data }) => [type, text, (data as { why: unknown }).why])).toEqual([
    ['alarm.raised', expect.stringContaining('nenhum acesso'), null],
    [
      'alarm.acknowledged',
      '18:29 · Ciente: SUL DORIL: nenhum acesso registrado desde 18:26 (antes, 42 por minuto) (Ana: portão emperrado)',
      null,
    ],
    ['alarm.raised_again', expect.stringContaining('O alarme chama de novo: SUL DORIL'), 'unresolved'],
    ['alarm.returned', expect.stringContaining('Voltou ao normal: SUL DORIL'), 'resolved'],
    ['alarm.returned', expect.stringContaining('Retirado, não se sabe se voltou: SUL DORIL'), 'withdrawn'],
    ['alarm.acknowledged', expect.stringMatching(/Ciente: SUL DORIL: .* \(Bia\)$/), null],
  ]);
  expect(messages[1]).toMatchObject({ data: { alarm: ALARM_ID, by: 'Ana', note: 'portão emperrado' } });
  expect(new Set(messages.map(({ id }) => id)).size).toBe(6);
});

test('the message of an alarm that is raised again has the figures of that time', () => {
  const figures = { ...STOPPED.figures, before: 12 };
  const [, again] = messagesOf([
    entry(ALARM_ID, 'alarm', STOPPED),
    entry('again', 'alarm-again', { alarm: ALARM_ID, why: 'recurred', figures }),
  ]);
  expect(again).toMatchObject({ text: expect.stringContaining('antes, 12 por minuto'), data: { figures } });
});

test('the same entry of another event is another message, and a simulated one is marked', () => {
  const alarm = entry(ALARM_ID, 'alarm', STOPPED);
  const [ours] = messagesOf([alarm]);
  const [theirs] = messagesOf([alarm], { eventId: 'f'.repeat(32) });
  expect(ours?.id).not.toBe(theirs?.id);
  const [invented] = messagesOf([{ ...alarm, source: 'simulated' }]);
  expect(invented?.id).toBe(ours?.id);
  expect(invented?.text).toMatch(/^SIMULADO · 18:29/);
});

test('the message names the sectors of its alarm, the others, or the ground', () => {
  const sectors = ['7', '4', ''].map((sector) => ({ sector, silentSinceMs: AT_MS, before: 20 }));
  const messages = messagesOf([
    { ...entry('a', 'alarm', { rule: 'several-stopped', figures: { sectors } }), sector: null },
    { ...entry('b', 'alarm', { rule: 'no-data', figures: { staleMs: 61_000 } }), sector: null },
  ]);
  expect(messages.map(({ text }) => text)).toEqual([
    expect.stringContaining('SUL DORIL, NORTE, Outros: sem acessos registrados ao mesmo tempo'),
    '18:29 · Estádio: sem dados da contagem',
  ]);
});
