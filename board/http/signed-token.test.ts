import fc from 'fast-check';
import { expect, test } from 'vitest';
import { equalInConstantTime, TokenSigner } from './signed-token.ts';

test('a token is read only with its secret and scope', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string(), fc.string(), (text, secret, scope) => {
      const token = new TokenSigner(secret, scope).sign(text);
      expect(new TokenSigner(secret, scope).read(token)).toBe(text);
      expect(new TokenSigner(`${secret}x`, scope).read(token)).toBeUndefined();
      expect(new TokenSigner(secret, `${scope}x`).read(token)).toBeUndefined();
    }),
  );
});

test('a text that was not signed is not read as a token', () => {
  const signer = new TokenSigner('s'.repeat(32), 'scope');
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(signer.read(text)).toBeUndefined();
    }),
  );
  const token = signer.sign('text');
  for (const forged of [undefined, '', '.', 'text.', `x${token}`, `${token}.`, token.slice(0, -1)]) {
    expect(signer.read(forged)).toBeUndefined();
  }
});

test('texts of any lengths are compared as by ===', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      expect(equalInConstantTime(one, other)).toBe(one === other);
      expect(equalInConstantTime(one, one)).toBe(true);
    }),
  );
});
