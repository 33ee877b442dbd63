import { pino } from 'pino';
import { expect, test } from 'vitest';
import { formatPosition, shortTimelineAt } from '../../domain/log-position.ts';
import { LaterSeen } from './later-seen.ts';

const positionAt = (timeline: number, system = '7580123456789012345') => formatPosition(system, timeline, 5n);
const seen = (timeline: number, system?: string): string => shortTimelineAt(positionAt(timeline, system));

test('a later timeline that screens have seen is warned of, once in the log, until it is counted', () => {
  let position = positionAt(2);
  let isCounting = false;
  const logged: string[] = [];
  const log = pino({}, { write: (line) => void logged.push((JSON.parse(line) as { msg: string }).msg) });
  const later = new LaterSeen(() => (isCounting ? position : undefined), log);
  later.note(seen(3));
  isCounting = true;
  for (const timeline of [seen(1), seen(2), seen(9, '7580123456789012346')]) later.note(timeline);
  expect([later.warning, logged]).toEqual([undefined, []]);
  for (const timeline of [seen(4), seen(3), seen(4)]) later.note(timeline);
  expect(later.warning).toMatch(/^Screens have seen a later timeline .*`npm run return`$/);
  expect(logged).toEqual([later.warning]);
  position = positionAt(4);
  expect(later.warning).toBeUndefined();
});
