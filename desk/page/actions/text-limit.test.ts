import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { MAX_TEXT_LENGTH } from './max-text-length.ts';
import { TextLimit } from './text-limit.tsx';

test('a hint states that a text is cut once it has its greatest length', () => {
  const limit = (length: number): string =>
    renderToStaticMarkup(createElement(TextLimit, { text: 'x'.repeat(length) }));
  expect(limit(MAX_TEXT_LENGTH)).toContain('500 caracteres, o máximo: o que passa disso é cortado');
  expect(limit(MAX_TEXT_LENGTH - 1)).toBe('<p class="text-limit" role="status"></p>');
});
