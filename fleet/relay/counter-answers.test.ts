import { pino } from 'pino';
import { expect, test } from 'vitest';
import { formatPosition, shortTimelineAt } from '../../domain/log-position.ts';
import { CounterAnswers } from './counter-answers.ts';
import { encodeAsk } from './encode.ts';
import type { LinkSubscription } from './nats-link.ts';
import { Subjects } from './subjects.ts';

const EVENT_ID = '0123456789abcdef0123456789abcdef';
const positionAt = (timeline: number) => formatPosition('7580123456789012345', timeline, 5n);

test('a question about a state takes nothing away from what its edge reports of other counters', () => {
  const subjects = new Subjects('main');
  const statesAsked: string[] = [];
  let subscription: LinkSubscription | undefined;
  const answers = new CounterAnswers({
    from: { counter: 'c1', run: 'r1' },
    subjects,
    link: {
      publish: () => true,
      subscribe(made) {
        subscription = made;
        return () => {};
      },
    },
    position: () => positionAt(1),
    verifiedAtMs: () => 0,
    freshness: () => ({ live: true }),
    server: () => 's1',
    onStateAsked: (eventId) => statesAsked.push(eventId),
    log: pino({ level: 'silent' }),
  });
  const elsewhere = () => answers.fellows.elsewhere(positionAt(1), 's1', performance.now());
  const c2 = { timeline: shortTimelineAt(positionAt(2)), server: 's2' };
  const inbox = `${subjects.inbox('e1')}1`;
  subscription?.onMessage(subjects.askFreshness('e1'), encodeAsk({ c2 }), inbox);
  expect(elsewhere()).toEqual(['c2']);
  subscription?.onMessage(subjects.askState('e1', EVENT_ID), encodeAsk(), undefined);
  expect([statesAsked, elsewhere()]).toEqual([[EVENT_ID], ['c2']]);
});
