/** A field of a request is invalid. The message names the field and the fix, and does not repeat its value. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
  readonly field: string;

  constructor(field: string, fault: string) {
    super(`${field}: ${fault}`);
    this.field = field;
  }
}

export type Fields = Readonly<Record<string, unknown>>;

export function readFields(body: unknown): Fields {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Fields;
  throw new FieldError('body', 'give a JSON object');
}

/** A client would take an ignored field for applied. @throws FieldError for an unknown field */
export function refuseOtherFields(fields: Fields, known: readonly string[]): void {
  // The name comes from the client: the message does not repeat it.
  if (Object.keys(fields).some((name) => !known.includes(name))) {
    throw new FieldError('body', `give these fields only: ${known.join(', ')}`);
  }
}
