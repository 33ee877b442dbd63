/** Checks a value that was parsed from JSON. */
export type Shape = (value: unknown) => boolean;

export const isText: Shape = (value) => typeof value === 'string';
export const isNumber: Shape = (value) => typeof value === 'number';
export const isFlag: Shape = (value) => typeof value === 'boolean';

export const isNullOr =
  (shape: Shape): Shape =>
  (value) =>
    value === null || shape(value);

/** Checks an optional field. */
export const isAbsentOr =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined || shape(value);

export const isOneOf =
  (...known: readonly string[]): Shape =>
  (value) =>
    known.some((one) => one === value);

export const isListOf =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(shape);

/** Checks an object, which may have more fields, as from a newer server. */
export const hasFields =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(fields).every(([name, shape]) => shape((value as Record<string, unknown>)[name]));
