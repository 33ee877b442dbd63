import { expect, test } from 'vitest';
import { EdgeContact, LOOK_EVERY_MS } from './edge-contact.ts';

function lookUntil(edges: EdgeContact, fromMs: number, untilMs: number): boolean {
  let hasContact = false;
  for (let nowMs = fromMs; nowMs <= untilMs; nowMs += LOOK_EVERY_MS) hasContact = edges.hasContact(nowMs);
  return hasContact;
}

test('a counter is reached from the first question of an edge on, until none has come for a second and a half', () => {
  const edges = new EdgeContact();
  expect(lookUntil(edges, 0, 10_000)).toBe(false);
  edges.noteQuestion(10_100);
  expect(lookUntil(edges, 10_250, 11_500)).toBe(true);
  expect(lookUntil(edges, 11_750, 11_750)).toBe(false);
});

test('questions that a held-up process has not read yet do not count as missing', () => {
  const edges = new EdgeContact();
  edges.noteQuestion(0);
  expect(edges.hasContact(0)).toBe(true);
  expect(edges.hasContact(20_000)).toBe(true);
  expect(lookUntil(edges, 20_250, 22_000)).toBe(false);
});
