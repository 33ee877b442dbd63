import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Signs texts, so that nobody else can make one: `text.signature`. The text is readable. */
export class TokenSigner {
  readonly #key: Buffer;

  /** Another `secret`, or another `scope`, signs otherwise. */
  constructor(secret: string, scope: string) {
    this.#key = createHmac('sha256', secret).update(scope).digest();
  }

  sign(text: string): string {
    return `${text}.${this.#signature(text)}`;
  }

  /** The text of a token; `undefined`: forged, cut or foreign. */
  read(token: string | undefined): string | undefined {
    if (token === undefined) return undefined;
    const end = token.lastIndexOf('.');
    if (end < 1) return undefined;
    const text = token.slice(0, end);
    return equalInConstantTime(token.slice(end + 1), this.#signature(text)) ? text : undefined;
  }

  #signature(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

/** Takes as long wherever the texts differ, and whatever their lengths. */
export function equalInConstantTime(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
