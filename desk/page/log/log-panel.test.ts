import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { alarmView } from '../../../testing/desk/alarm-view.ts';
import { LogPanel } from './log-panel.tsx';

test('a log that lacks rows of the state says so', () => {
  const panel = (lastSeq: number): string =>
    renderToStaticMarkup(createElement(LogPanel, { view: alarmView({ lastSeq }), onReplay: undefined }));
  expect(panel(0)).toMatch(/>registro<\/h2>/);
  expect(panel(1)).toMatch(/>registro<small [^>]*>▲ atrasado: faltam linhas<\/small><\/h2>/);
});
