import { expect, test } from 'vitest';
import { entryOf, MATCH_KICK_OFF_MS, matchView } from '../../../testing/desk/match-view.ts';
import type { NewCommand } from '../desk-view.ts';
import { commandWords } from './command-words.ts';

const beside = { atMs: MATCH_KICK_OFF_MS - 30 * 60_000 };
const log = [
  entryOf('mark', { mark: 'unscanned' }, { ...beside, sector: '7', id: 'mark' }),
  entryOf('occurrence', { text: 'x' }, { ...beside, sector: '4', id: 'occurrence' }),
  entryOf('evacuation', {}, { ...beside, id: 'evacuation' }),
];

test.each<[NewCommand, string]>([
  [{ kind: 'occurrence', sector: '7', text: 'x' }, 'ocorrência · SETOR 7'],
  [{ kind: 'occurrence', sector: null, text: 'x' }, 'ocorrência · estádio'],
  [{ kind: 'mark', sector: '4', mark: 'suspended' }, 'marcar setor · SETOR 4'],
  [{ kind: 'suspend', rule: 'stopped', sector: '4', minutes: 5, reason: 'x' }, 'suspender alarme · SETOR 4'],
  [{ kind: 'take-back', entryId: 'mark', why: 'ended' }, 'acabou · SETOR 7'],
  [{ kind: 'take-back', entryId: 'occurrence' }, 'desfazer · SETOR 4'],
  [{ kind: 'take-back', entryId: 'evacuation' }, 'desfazer'],
  [{ kind: 'estimate', mark: 'mark', count: 5, how: 'x' }, 'estimativa · SETOR 7'],
  [{ kind: 'evacuation' }, 'EVACUAÇÃO'],
])('%j is named with its sector: %s', (command, words) => {
  expect(commandWords(command, matchView({ atMin: -24, log }))).toBe(words);
});
