export type Stop = () => Promise<unknown> | void;

/**
 * Does `work`, then stops what it has pushed, the newest first, whatever happened: every one, even if one before it
 * fails. What broke first is what is thrown.
 */
export async function withStops<T>(work: (stops: Stop[]) => Promise<T>): Promise<T> {
  const stops: Stop[] = [];
  const failures: unknown[] = [];
  const attempt = async <R>(step: () => R): Promise<Awaited<R> | undefined> => {
    try {
      return await step();
    } catch (error) {
      failures.push(error);
      return undefined;
    }
  };
  const done = await attempt(() => work(stops));
  for (let stop = stops.pop(); stop; stop = stops.pop()) await attempt(stop);
  if (failures.length > 0) throw failures[0];
  return done as T;
}
