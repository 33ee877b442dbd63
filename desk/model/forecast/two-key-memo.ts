/** Caches a value for each pair of numbers. */
export class TwoKeyMemo<V> {
  readonly #values = new Map<number, Map<number, V>>();

  get(first: number, second: number, make: () => V): V {
    let row = this.#values.get(first);
    if (!row) this.#values.set(first, (row = new Map<number, V>()));
    const known = row.get(second);
    if (known !== undefined || row.has(second)) return known as V;
    const made = make();
    row.set(second, made);
    return made;
  }
}
