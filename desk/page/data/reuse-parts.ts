/**
 * Returns `next` with every equal part replaced by the object of `before`, so that it is not drawn again. Both are JSON values.
 */
export function reuseParts<T>(before: T, next: T): T {
  if (Object.is(before, next)) return before;
  if (Array.isArray(before) && Array.isArray(next)) {
    const parts = next.map((part: unknown, index) => reuseParts(before[index] as unknown, part));
    return (before.length === parts.length && parts.every((part, index) => part === before[index])
      ? before
      : parts) as unknown as T;
  }
  if (!isObject(before) || !isObject(next)) return next;
  const names = Object.keys(next);
  const parts = Object.fromEntries(names.map((name) => [name, reuseParts(before[name], next[name])]));
  const isSame =
    names.length === Object.keys(before).length && names.every((name) => parts[name] === before[name]);
  return isSame ? before : (parts as T);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
