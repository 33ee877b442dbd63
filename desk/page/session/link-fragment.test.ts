import { expect, test } from 'vitest';
import { invitationLink, readLinkFragment } from './link-fragment.ts';

test('a link brings an invitation, or a key with a name or without one', () => {
  expect(readLinkFragment('#convite=a-_1')).toEqual({ invitation: 'a-_1' });
  expect(readLinkFragment('#chave=k&nome=Demo')).toEqual({ key: 'k', name: 'Demo' });
  expect(readLinkFragment('#chave=k')).toEqual({ key: 'k', name: undefined });
});

test('any other fragment is ignored', () => {
  for (const hash of ['', '#', '#convite=', '#nome=Ana', '#x'])
    expect(readLinkFragment(hash)).toBeUndefined();
});

test('the address of an invitation brings it', () => {
  const link = invitationLink('a-_1', { origin: 'https://mesa.test', pathname: '/fluxo' } as Location);
  expect(link).toBe('https://mesa.test/fluxo#convite=a-_1');
  expect(readLinkFragment(new URL(link).hash)).toEqual({ invitation: 'a-_1' });
});
