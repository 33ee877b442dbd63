import { expect, test } from 'vitest';
import { RefusedWatch } from './refused-watch.ts';
import { type RefusedReason, RequestOutcome } from './request-outcome.ts';

const MINUTE_MS = 60_000;

function startWatch(what: 'message' | 'request' = 'message') {
  let nowMs = 0;
  const logged: string[] = [];
  const watch = new RefusedWatch(
    what,
    (line) => logged.push(line),
    () => nowMs,
  );
  const refuse = (gate: unknown, address = '10.0.0.5', reason: RefusedReason = 'message'): void => {
    const outcome = new RequestOutcome();
    outcome.refuse(reason, { message: 1, line: 1, detail: `its ${reason} is wrong` }, () => gate);
    outcome.refuse(reason, { message: 2, line: 2, detail: 'its id is empty' }, () => 'another');
    watch.note('e'.repeat(32), outcome.fault, outcome.counts.refused, address);
  };
  return { watch, logged, refuse, pass: (ms: number) => void (nowMs += ms) };
}

test('the first refused message of each sender is logged once a minute, of three at most, with its gate and fault', () => {
  const { logged, refuse, pass } = startWatch();
  for (let time = 0; time < 3; time += 1)
    for (const gate of ['PORTÃO 5', undefined, { a: 'x'.repeat(100) }, 'a fourth']) refuse(gate);
  expect(logged).toEqual([
    'event eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee: a message from the gate "PORTÃO 5" (10.0.0.5) is refused: its message is wrong',
    expect.stringMatching(/: a message from 10\.0\.0\.5 is refused: /),
    expect.stringMatching(/: a message from the gate \{"a":"x{60} \(10\.0\.0\.5\) is refused: /),
  ]);
  pass(MINUTE_MS);
  refuse(7, '');
  expect(logged.slice(3)).toEqual([expect.stringMatching(/: a message from the gate 7 is refused: /)]);
});

test('the last one is named with the number of them all until ten minutes after it', () => {
  const { watch, refuse, pass } = startWatch();
  expect(watch.warning).toBeUndefined();
  refuse('PORTÃO 4');
  pass(9 * MINUTE_MS);
  refuse('PORTÃO 5');
  pass(9 * MINUTE_MS);
  expect(watch.warning).toMatch(
    /^Refused since \S+Z: 4 messages, the first of the last request at \S+Z from the gate "PORTÃO 5" \(10\.0\.0\.5\), as its message is wrong\. Correct/,
  );
  pass(MINUTE_MS);
  expect(watch.warning).toBeUndefined();
  refuse(undefined, '', 'database');
  expect(watch.warning).toMatch(
    /: 2 messages, the first of the last request at \S+Z, as the database refuses it, for the reason/,
  );
});

test('a request is noted for what its sender can correct, and so is one that names no event', () => {
  const { watch, logged } = startWatch('request');
  for (const status of [200, 409, 500, 503]) watch.noteRequest('', status, '10.0.0.5');
  expect(watch.warning).toBeUndefined();
  watch.noteRequest('uma-chave', 404, '10.0.0.6');
  expect(watch.warning).toMatch(
    /: 1 request, the last at \S+Z from 10\.0\.0\.6, as its address is wrong, or has no event ID of .* Correct/,
  );
  expect(logged).toEqual([
    expect.stringMatching(/^a request from 10\.0\.0\.6 is refused: its address is wrong/),
  ]);
});
