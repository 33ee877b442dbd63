import { expect, test } from 'vitest';
import { alarmOf, alarmView, VIEW_NOW_MS } from '../../../testing/desk/alarm-view.ts';
import { contactsOf, contactWords } from './alarm-contact.ts';

test('an active alarm has the contact of the venue’s file', () => {
  const { rows: flowing } = alarmView().state;
  const live = alarmView({
    rows: flowing.map((row) => Object.assign({}, row, { state: 'stopped' as const })),
  });
  const contact = 'canal 4 · ramal 212';
  const view = alarmView({
    rows: live.state.rows.map((row) => (row.code === '7' ? { ...row, contact } : row)),
  });
  expect(contactWords(alarmOf('stopped'), view)).toBe('Chame: canal 4 · ramal 212');
  expect(contactWords(alarmOf('stopped', { returnedAtMs: VIEW_NOW_MS }), view)).toBe(null);
  expect(contactWords(alarmOf('stopped'), live)).toBe(null);
  expect(contactWords(alarmOf('several-stopped'), live)).toBe(null);
  expect(contactWords(alarmOf('several-stopped'), view)).toBe('Chame: SUL DORIL: canal 4 · ramal 212');
  const contacts = ['canal 4', 'canal 5', 'canal 4'];
  const rows = live.state.rows.map((row, place) => Object.assign({}, row, { contact: contacts[place] }));
  expect(contactWords(alarmOf('several-stopped'), alarmView({ rows }))).toBe(
    'Chame: SUL DORIL e fora destes setores: canal 4;\nNORTE: canal 5',
  );
  // After a break, the rules cannot say yet that people enter there again.
  const resumed = rows.map((row) =>
    row.code === '4' ? Object.assign({}, row, { state: 'unknown', lastEntryAtMs: VIEW_NOW_MS }) : row,
  );
  expect(contactWords(alarmOf('several-stopped'), alarmView({ rows: resumed }))).toBe(
    'Chame: SUL DORIL e fora destes setores: canal 4',
  );
  expect(contactsOf(['4', '7'], alarmView({ rows }), 1)).toBe('Chame: NORTE: canal 5;\ne mais 1');
});
