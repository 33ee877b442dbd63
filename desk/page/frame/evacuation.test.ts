import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { entryOf, MATCH_KICK_OFF_MS, matchView } from '../../../testing/desk/match-view.ts';
import type { DeskView } from '../desk-view.ts';
import { Evacuation } from './evacuation.tsx';

const log = [entryOf('evacuation', {}, { atMs: MATCH_KICK_OFF_MS - 60_000 })];
const shown = (changes: Partial<DeskView>): string =>
  renderToStaticMarkup(createElement(Evacuation, { view: { ...matchView({ atMin: 0, log }), ...changes } }));

test('the band quotes the text of the walls', () => {
  expect(shown({})).toMatch(/a mesa não avisa ninguém fora da sala\. Alarmes/);
  expect(shown({ evacuationText: 'Siga as saídas' })).toMatch(
    /não avisa ninguém fora da sala, só o telão diz “Siga as saídas”\. Alarmes/,
  );
});

test('an active evacuation has instructions; one of a recorded minute is only stated', () => {
  expect(shown({})).toMatch(/EVACUAÇÃO EM VIGOR.*desde 18:59.*Siga o plano de evacuação/);
  const recorded = shown({ replay: { atMs: MATCH_KICK_OFF_MS } });
  expect(recorded).toMatch(/neste minuto havia evacuação.*desde 18:59/);
  expect(recorded).not.toMatch(/EM VIGOR|Siga/);
});
