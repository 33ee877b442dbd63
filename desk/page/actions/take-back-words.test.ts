import { expect, test } from 'vitest';
import { takeBackWords } from './take-back-words.ts';

test('what is set until it is taken back is taken back in one word, on the button and in the question', () => {
  for (const kind of ['evacuation', 'entry-closed', 'suspend', 'kick-off', 'occurrence'] as const) {
    const { verb, question } = takeBackWords(kind);
    expect([kind, question.toLowerCase()]).toEqual([kind, `${verb}?`]);
  }
});

test('what was only said, or is not known yet, is undone', () => {
  for (const kind of ['occurrence', 'kick-off', undefined] as const)
    expect(takeBackWords(kind)).toMatchObject({ verb: 'desfazer', question: 'Desfazer?' });
});

test('that a mark has ended and that it was a mistake are two acts', () => {
  expect(takeBackWords('mark', 'ended')).toMatchObject({ verb: 'acabou', question: 'Acabou?' });
  expect(takeBackWords('mark', 'mistake')).toMatchObject({ verb: 'foi engano', question: 'Foi engano?' });
});
