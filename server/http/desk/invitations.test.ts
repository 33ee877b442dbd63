import { expect, test } from 'vitest';
import { INVITATION_LIFETIME_MS, Invitations } from './invitations.ts';

const NOW = 1_800_000_000_000;
const HOST_END = NOW + 1_000_000;

test('an invitation is good once, for as long as its host', () => {
  const invitations = new Invitations();
  const { invitation, endsAtMs } = invitations.invite(HOST_END, NOW);
  expect(endsAtMs).toBe(NOW + 120_000);
  expect(invitations.use(invitation, endsAtMs - 1)).toBe(HOST_END);
  expect(invitations.use(invitation, endsAtMs - 1)).toBeUndefined();
});

test('an invitation is good for two minutes', () => {
  const invitations = new Invitations();
  const { invitation } = invitations.invite(HOST_END, NOW);
  expect(invitations.use(invitation, NOW + INVITATION_LIFETIME_MS)).toBeUndefined();
});

test('no other text is one', () => {
  const invitations = new Invitations();
  const { invitation } = invitations.invite(HOST_END, NOW);
  for (const text of ['', '__proto__', `${invitation}x`, invitation.slice(1)]) {
    expect(invitations.use(text, NOW)).toBeUndefined();
  }
  expect(invitations.use(invitation, NOW)).toBe(HOST_END);
});

test('however many are made, the newest 200 are kept', () => {
  const invitations = new Invitations();
  const made = Array.from({ length: 201 }, () => invitations.invite(HOST_END, NOW).invitation);
  expect(made.map((invitation) => invitations.use(invitation, NOW) === HOST_END)).toEqual(
    made.map((_invitation, index) => index > 0),
  );
});
