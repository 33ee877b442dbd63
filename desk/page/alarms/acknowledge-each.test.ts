import { expect, test } from 'vitest';
import type { CommandOutcome, NewCommand } from '../desk-view.ts';
import { acknowledgeEach } from './acknowledge-each.ts';

const RECORDED: CommandOutcome = { kind: 'recorded' };

/** Answers with what `outcomes` has for an alarm, or that it is recorded. */
function server(outcomes: Readonly<Record<string, CommandOutcome>> = {}) {
  const acknowledged: string[] = [];
  const send = async (command: NewCommand): Promise<CommandOutcome> => {
    if (command.kind !== 'acknowledge') throw new Error(command.kind);
    acknowledged.push(command.alarm);
    return outcomes[command.alarm] ?? RECORDED;
  };
  return { acknowledged, send };
}

test('each alarm is acknowledged, in order', async () => {
  const { acknowledged, send } = server();
  expect(await acknowledgeEach(['a', 'b', 'c'], send)).toEqual(RECORDED);
  expect(acknowledged).toEqual(['a', 'b', 'c']);
});

test('a refusal stops no other acknowledgement, and is the outcome', async () => {
  const refused: CommandOutcome = { kind: 'refused', message: 'já tem ciente' };
  const { acknowledged, send } = server({ a: refused });
  expect(await acknowledgeEach(['a', 'b', 'c'], send)).toEqual(refused);
  expect(acknowledged).toEqual(['a', 'b', 'c']);
});

test('a missing answer stops the row, and a retry continues it', async () => {
  const retry = async () => RECORDED;
  const { acknowledged, send } = server({
    b: { kind: 'unsent', message: 'sem resposta', givenAt: '18:36:00', retry, found: new Promise(() => {}) },
  });
  const outcome = await acknowledgeEach(['a', 'b', 'c'], send);
  expect(outcome).toMatchObject({ kind: 'unsent', message: 'sem resposta' });
  expect(acknowledged).toEqual(['a', 'b']);
  if (outcome.kind !== 'unsent') throw new Error(outcome.kind);
  expect(await outcome.retry()).toEqual(RECORDED);
  expect(acknowledged).toEqual(['a', 'b', 'c']);
});
