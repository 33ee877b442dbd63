import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createSmallDesk } from '../../testing/desk/small-desk.ts';
import { until } from '../../testing/until.ts';
import type { LinkSubscription } from '../relay/nats-link.ts';
import { Subjects } from '../relay/subjects.ts';
import { answerDesks } from './answer-desks.ts';
import { encodeDesk } from './desk-wire.ts';

const EVENT_ID = '0123456789abcdef0123456789abcdef';
const QUESTION = encodeDesk({ ask: 'state' });

function open() {
  const subjects = new Subjects('main');
  const answered: string[] = [];
  let subscription: LinkSubscription | undefined;
  answerDesks({
    counter: 'c1',
    desks: new Map([[EVENT_ID, createSmallDesk(EVENT_ID)]]),
    verifiedAtMs: () => 0,
    subjects,
    link: {
      publish: (subject) => answered.push(subject) > 0,
      subscribe(made) {
        subscription = made;
        return () => {};
      },
    },
    log: pino({ level: 'silent' }),
  });
  const ask = (edge: string, reply = `${subjects.inbox(edge)}1`, counter?: string): void =>
    subscription?.onMessage(subjects.askDesk(edge, EVENT_ID, counter), QUESTION, reply);
  return { subjects, answered, ask };
}

test('an edge that asks without end is left unanswered, and another one is not', async () => {
  const { subjects, answered, ask } = open();
  for (let count = 0; count < 5_000; count += 1) ask('e1');
  ask('e2');
  await until(() => expect(answered).toContain(`${subjects.inbox('e2')}1.c1`));
  expect(answered.length).toBeGreaterThan(100);
  expect(answered.length).toBeLessThan(900);
});

test('a counter answers the questions for it, under the inbox of the edge that asks', async () => {
  const { subjects, answered, ask } = open();
  ask('e1', `${subjects.inbox('e2')}1`);
  ask('e1', subjects.state({ counter: 'c1', eventId: EVENT_ID, slice: 'counts' }));
  ask('e1', `${subjects.inbox('e1')}2`, 'c2');
  ask('e1', `${subjects.inbox('e1')}3`, 'c1');
  await until(() => expect(answered).toEqual([`${subjects.inbox('e1')}3.c1`]));
});
