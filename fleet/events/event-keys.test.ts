import { expect, test } from 'vitest';
import { deriveEventKey } from './event-keys.ts';

const KEY = 'uma-chave-de-teste-com-32-letras';
const [A, B] = ['a'.repeat(32), 'b'.repeat(32)];

test('each event, purpose and set key has a key of its own, the same every time', () => {
  const keys = [
    deriveEventKey(KEY, 'dashboard', A),
    deriveEventKey(KEY, 'dashboard', B),
    deriveEventKey(KEY, 'desk', A),
    deriveEventKey(`${KEY}!`, 'desk', A),
  ];
  expect(new Set(keys).size).toBe(4);
  expect(deriveEventKey(KEY, 'desk', A)).toBe(keys[2]);
  for (const key of keys) expect(key).toMatch(/^(?:[a-z2-7]{4}-){5}[a-z2-7]{4}$/);
});

test('keys that were handed out stay the keys: HMAC-SHA-256, five bits of each of its first 24 bytes', () => {
  // printf 'triagem desk key\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' | openssl dgst -sha256 -hmac uma-chave-de-teste-com-32-letras
  expect(deriveEventKey(KEY, 'desk', A)).toBe('w2fk-zn4u-nwdl-6e35-tumv-zgo2');
});
