import { expect, test } from 'vitest';
import { UsageError } from './errors.ts';
import { INCIDENT_GRAMMAR, parseIncident } from './incidents.ts';

test.each([
  ['stop:7@-35+6', { kind: 'slow', sector: '7', minute: -35, minutes: 6, share: 0 }],
  ['slow:4@-30+10x0.3', { kind: 'slow', sector: '4', minute: -30, minutes: 10, share: 0.3 }],
  ['late:12', { kind: 'late', minutes: 12 }],
  ['lot:9@-20x400', { kind: 'lot', sector: '9', minute: -20, count: 400 }],
  ['unread:8@-15', { kind: 'unread', sector: '8', minute: -15 }],
  ['stop:Leste @ 2@+1.5+0.5', { kind: 'slow', sector: 'Leste @ 2', minute: 1.5, minutes: 0.5, share: 0 }],
  ['unread:8@5', { kind: 'unread', sector: '8', minute: 5 }],
])('%s is understood', (text, incident) => {
  expect(parseIncident(text)).toEqual(incident);
});

test.each([
  ['close:7@-35+6', 'is none of these'],
  ['stop:7@-35', 'is none of these'],
  ['stop:@-35+6', 'is none of these'],
  ['stop:7@-35+6x0.3', 'is none of these'],
  ['late:-3', 'is none of these'],
  ['lot:9@-20x1.5', 'is none of these'],
  ['', 'is none of these'],
  ['stop:7@-35+0', 'lasts no minute'],
  ['slow:4@-30+10x0', 'has a share that is not between 0 and 1'],
  ['slow:4@-30+10x1', 'has a share that is not between 0 and 1'],
  ['lot:9@-20x0', 'has no reading'],
])('"%s" is refused, with what can be said', (text, why) => {
  expect(() => parseIncident(text)).toThrow(UsageError);
  expect(() => parseIncident(text)).toThrow(`--incident "${text}" ${why}:\n${INCIDENT_GRAMMAR}`);
});

test('each example of the grammar is understood', () => {
  const examples = [...INCIDENT_GRAMMAR.matchAll(/: (\w+:[\w@.+-]+)$/gm)].map(([, example = '']) => example);
  expect(examples.map((example) => parseIncident(example).kind)).toEqual([
    'slow',
    'slow',
    'late',
    'lot',
    'unread',
  ]);
});
