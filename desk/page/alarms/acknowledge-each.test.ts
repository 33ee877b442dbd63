import { expect, test } from 'vitest';
import type { CommandOutcome, NewCommand } from '../desk-view.ts';
import { acknowledgeEach } from './acknowledge-each.ts';

const RECORDED: CommandOutcome = { kind: 'recorded' };

/** Answers with what `outcomes` has for an alarm, or that it is recorded. */
function server(outcomes: Readonly<Record<string, CommandOutcome>> = {}) {
  const said: string[] = [];
  const send = async (command: NewCommand): Promise<CommandOutcome> => {
    if (command.kind !== 'acknowledge') throw new Error(command.kind);
    said.push(command.alarm);
    return outcomes[command.alarm] ?? RECORDED;
  };
  return { said, send };
}

test('each is said, in order', async () => {
  const { said, send } = server();
  expect(await acknowledgeEach(['a', 'b', 'c'], send)).toEqual(RECORDED);
  expect(said).toEqual(['a', 'b', 'c']);
});

test('one that is refused keeps no other from being recorded, and is told of', async () => {
  const refused: CommandOutcome = { kind: 'refused', message: 'já tem ciente' };
  const { said, send } = server({ a: refused });
  expect(await acknowledgeEach(['a', 'b', 'c'], send)).toEqual(refused);
  expect(said).toEqual(['a', 'b', 'c']);
});

test('where no answer comes it stops, and goes on from there', async () => {
  const retry = async () => RECORDED;
  const { said, send } = server({
    b: { kind: 'unsent', message: 'sem resposta', givenAt: '18:36:00', retry, found: new Promise(() => {}) },
  });
  const outcome = await acknowledgeEach(['a', 'b', 'c'], send);
  expect(outcome).toMatchObject({ kind: 'unsent', message: 'sem resposta' });
  expect(said).toEqual(['a', 'b']);
  if (outcome.kind !== 'unsent') throw new Error(outcome.kind);
  expect(await outcome.retry()).toEqual(RECORDED);
  expect(said).toEqual(['a', 'b', 'c']);
});
