/** Texts by their keys. */
export type Texts = ReadonlyMap<string, string>;

/** A text that differs; `undefined` where it is missing. */
interface Difference {
  readonly key: string;
  readonly there: string | undefined;
  readonly here: string | undefined;
}

export interface Comparison {
  /** What the source had last. */
  readonly there: Texts;
  readonly differences: readonly Difference[];
}

/** A source, and a database that follows it. */
interface Compared {
  readonly readThere: () => Promise<Texts>;
  readonly readHere: () => Promise<Texts>;
  /** Resolves once everything that was committed there before is committed here. */
  readonly untilHere: () => Promise<void>;
}

/** Texts that change all the time are looked at so often. */
const ROUNDS = 10;

/**
 * Compares the texts of a source with ours while both change. A text differs where it was the same there before and after it
 * was read here, after everything that was committed before had come here; and that twice in a row.
 */
export async function compareChanging({ readThere, readHere, untilHere }: Compared): Promise<Comparison> {
  let known = new Map<string, string>();
  for (let round = 1; ; round += 1) {
    const before = await readThere();
    await untilHere();
    const found = await readHere();
    const after = await readThere();
    const keys = [...new Set([...before.keys(), ...found.keys()])];
    const differing = keys.filter(
      (key) => before.get(key) !== found.get(key) && after.get(key) !== found.get(key),
    );
    const settled = differing.filter((key) => before.get(key) === after.get(key));
    const differences = settled.map((key) => ({ key, there: before.get(key), here: found.get(key) }));
    const now = new Map(differences.map((one) => [one.key, `${one.there} ${one.here}`]));
    const isSettled =
      differing.length === settled.length && [...now].every(([key, both]) => known.get(key) === both);
    if (isSettled || round === ROUNDS) return { there: after, differences };
    known = now;
  }
}
