import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { EmptyEventWatch } from './empty-event-watch.ts';
import { EventProjection } from './event-projection.ts';

const [SHOWN, OTHER] = ['a'.repeat(32), 'b'.repeat(32)];

test('half a commit causes no warning: tickets of another event count from their commit on', () => {
  const log = pino({ enabled: false });
  const projection = new EventProjection({
    eventId: SHOWN,
    knownCodes: ['4'],
    observer: { slice() {}, freshness() {} },
    log,
  });
  const watch = new EmptyEventWatch(SHOWN, projection, log);
  onTestFinished(() => watch.stop());
  expect(watch.warning).toBeUndefined();
  projection.snapshot({
    epoch: 'one',
    position: '1-1-1',
    replayedMs: null,
    takenAt: { sourceMs: 0, readAtMs: 0 },
    groups: [],
    sectors: new Map(),
  });
  const ticket = { isValidTicket: true, entrou: false, setor: '4' };
  projection.change({ before: undefined, after: { eventId: OTHER, ...ticket } });
  expect(watch.warning).toBeUndefined();
  projection.commit(2n);
  expect(watch.warning).toMatch(`${OTHER} has 1`);
  projection.change({ before: undefined, after: { eventId: SHOWN, ...ticket } });
  expect(watch.warning).toMatch(`${OTHER} has 1`);
  projection.commit(3n);
  expect(watch.warning).toBeUndefined();
});
