/** At most so many of the last ones. */
export function newestFirst<T>(items: readonly T[], most: number): readonly T[] {
  return items.slice(-most).map((_, place, last) => last[last.length - 1 - place] as T);
}
