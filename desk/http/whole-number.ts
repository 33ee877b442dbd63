import { FieldError } from '../model/log/fields.ts';

/** Reads a whole number of a query. @throws FieldError */
export function readWholeNumber(field: string, value: unknown, fallback?: number): number {
  if (value === undefined && fallback !== undefined) return fallback;
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
  throw new FieldError(field, 'give a whole number');
}
