import { expect, test } from 'vitest';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { UsageError } from '../cli/errors.ts';
import { checkIncidents, describeIncident, INCIDENT_GRAMMAR, parseIncident } from './incidents.ts';

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
  ['late:0', 'is no delay'],
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

test('an incident in a sector that is not there is refused, with those that are', () => {
  const check = (text: string): void => checkIncidents([parseIncident(text)], DEFAULT_VENUE);
  expect(() => check('stop:10@-35+6')).toThrow(
    '--incident names the sector "10", which this venue does not have. It has 6, 11, 1, 12, 2, 4, 5, 13, 3, 99, 9, 7, 8.',
  );
  expect(() => check('lot:9@-121x400')).toThrow(
    '--incident names the minute -121, when nobody comes: name one from -120 to 15.',
  );
  check('unread:8@-15');
  check('late:12');
});

test('incidents are described in words', () => {
  const words = ['stop:7@-35+6', 'slow:4@-30+10x0.3', 'late:12', 'lot:9@-20x400', 'unread:8@-15'];
  expect(words.map((text) => describeIncident(parseIncident(text)))).toEqual([
    'sector 7 lets nobody in for 6 min',
    'sector 4 lets 30% of those who come in for 10 min',
    'all spectators come 12 min later',
    '400 readings of sector 9 come all at once',
    'people enter sector 8 and are not read from now on',
  ]);
});
