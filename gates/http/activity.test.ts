import { expect, test } from 'vitest';
import { closeOnce } from '../../testing/close-once.ts';
import { Activity } from './activity.ts';
import { describeUnknownEvents } from './unknown-events.ts';

test('a warning of hosts is logged once, and comes before that of unknown events, with which `check` expects it to end', () => {
  const logged: string[] = [];
  const activity = new Activity((line) => void logged.push(line));
  const unknown = { count: 1, readings: 2, first: [{ eventId: 'e'.repeat(32), readings: 2 }] };
  closeOnce(() => activity.stop());
  activity.noteUnknownEvents(unknown);
  for (let n = 0; n < 2; n += 1) activity.noteHosts('b:5432 is a primary of the same timeline as a:5432');
  const words = describeUnknownEvents(unknown);
  const hosts = 'Of the hosts of GATES_DATABASE_URL, b:5432 is a primary of the same timeline as a:5432';
  expect(activity.warning).toBe(`${hosts}. ${words}`);
  expect(logged).toEqual([`${words}.`, `${hosts}.`]);
  activity.noteHosts(undefined);
  expect(activity.warning).toBe(words);
});
