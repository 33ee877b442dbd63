import { expect, test } from 'vitest';
import { alarmOf, alarmView, VIEW_NOW_MS } from '../../../testing/desk/alarm-view.ts';
import { whyNotSuspended } from './unsent-words.ts';

test('an active alarm alone can be suspended; one that has returned says since when', () => {
  const why = (returnedAtMs: number | null) => {
    const alarm = alarmOf('stopped', { returnedAtMs });
    return whyNotSuspended(alarm, alarmView({ alarms: [alarm] }));
  };
  expect(why(null)).toBeNull();
  expect(why(VIEW_NOW_MS)).toBe('O alarme já terminou, às 18:36');
  expect(whyNotSuspended(alarmOf('stopped'), alarmView())).toBe('O alarme já terminou');
});
