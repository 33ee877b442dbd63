/** A field of what was sent says what cannot be taken. The message names it and the fix, and repeats nothing of it. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
  readonly field: string;

  constructor(field: string, fault: string) {
    super(`${field}: ${fault}`);
    this.field = field;
  }
}

export type Fields = Readonly<Record<string, unknown>>;

/** The body's fields. */
export function readFields(body: unknown): Fields {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Fields;
  throw new FieldError('body', 'give a JSON object');
}

/** What nobody reads would be taken for done. */
export function refuseOtherFields(fields: Fields, known: readonly string[]): void {
  // Its name is whatever the client wrote.
  if (Object.keys(fields).some((name) => !known.includes(name))) {
    throw new FieldError('body', `give these fields only: ${known.join(', ')}`);
  }
}
