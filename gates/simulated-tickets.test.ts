import { expect, it } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { SECTOR_CODES } from '../domain/default-sectors.ts';
import { DEFAULT_TICKETS, generateTickets } from './simulated-tickets.ts';

it('sells the whole stadium by default', () => {
  expect(DEFAULT_TICKETS).toBe(43_680);
});

it.each([13, 500, 43_680, 100_001])('sells exactly %i tickets, each with an id of its own', (count) => {
  const tickets = generateTickets(DEFAULT_EVENT_ID, count);
  expect(new Set(tickets.map(({ id }) => id)).size).toBe(count);
});

it('gives every sector tickets, and cancels some', () => {
  const tickets = generateTickets(DEFAULT_EVENT_ID, DEFAULT_TICKETS);
  for (const code of SECTOR_CODES) expect(tickets.some(({ setor }) => setor === code)).toBe(true);
  expect(tickets.filter(({ isValid }) => !isValid).length).toBeGreaterThan(100);
});
