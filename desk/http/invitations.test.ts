import { expect, test } from 'vitest';
import { INVITATION_LIFETIME_MS, Invitations } from './invitations.ts';

const NOW = 1_800_000_000_000;
const HOST_END = NOW + 1_000_000;
const SHARED = { sessionSecret: 'secret', deskKey: 'key', eventId: 'a' };

/** Of a process of its own. */
function open(others: Partial<typeof SHARED> = {}, sinceMs = NOW): Invitations {
  return new Invitations({ ...SHARED, ...others, used: { sinceMs, untilMs: new Map() } });
}

test('an invitation is good once, for as long as its host', () => {
  const invitations = open();
  const { invitation, endsAtMs } = invitations.invite(HOST_END, NOW);
  expect(endsAtMs).toBe(NOW + 120_000);
  expect(invitations.use(invitation, endsAtMs - 1)).toBe(HOST_END);
  expect(invitations.use(invitation, endsAtMs - 1)).toBeUndefined();
});

test('an invitation is good for two minutes', () => {
  const invitations = open();
  const { invitation } = invitations.invite(HOST_END, NOW);
  expect(invitations.use(invitation, NOW + INVITATION_LIFETIME_MS)).toBeUndefined();
});

test('no other text is one', () => {
  const invitations = open();
  const { invitation } = invitations.invite(HOST_END, NOW);
  for (const text of ['', '__proto__', `${invitation}x`, invitation.slice(1)]) {
    expect(invitations.use(text, NOW)).toBeUndefined();
  }
  expect(invitations.use(invitation, NOW)).toBe(HOST_END);
});

test('another process with the same secrets takes it, too, and once; one with others does not', () => {
  const { invitation } = open().invite(HOST_END, NOW);
  const other = open();
  expect(other.use(invitation, NOW)).toBe(HOST_END);
  expect(other.use(invitation, NOW)).toBeUndefined();
  for (const foreign of [{ sessionSecret: 'x' }, { deskKey: 'x' }, { eventId: 'b' }]) {
    expect(open(foreign).use(invitation, NOW)).toBeUndefined();
  }
});

test('a process that was started since does not know whether it was used, and refuses it', () => {
  const { invitation } = open().invite(HOST_END, NOW);
  expect(open({}, NOW + 1).use(invitation, NOW + 2)).toBeUndefined();
});

test('what was used is remembered until it is over, whatever else is used', () => {
  const invitations = open();
  const [first, ...others] = Array.from({ length: 1_000 }, () => invitations.invite(HOST_END, NOW));
  expect(invitations.use(first?.invitation ?? '', NOW)).toBe(HOST_END);
  for (const { invitation } of others) expect(invitations.use(invitation, NOW)).toBe(HOST_END);
  expect(invitations.use(first?.invitation ?? '', NOW + INVITATION_LIFETIME_MS - 1)).toBeUndefined();
});
