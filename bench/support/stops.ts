export type Stop = () => Promise<unknown> | void;

/** Does `work`, then stops what it has pushed, whatever happened. What broke first is what is thrown. */
export async function withStops<T>(work: (stops: Stop[]) => Promise<T>): Promise<T> {
  const stops: Stop[] = [];
  try {
    const done = await work(stops);
    await stopAll(stops);
    return done;
  } catch (error) {
    await stopAll(stops).catch(() => {});
    throw error;
  }
}

/** The newest first; every one, even if one before it fails; then throws the first failure. */
async function stopAll(stops: Stop[]): Promise<void> {
  const failures: unknown[] = [];
  for (let stop = stops.pop(); stop; stop = stops.pop()) {
    try {
      await stop();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
