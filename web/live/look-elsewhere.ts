const LOOK_EVERY_MS = 10_000;

/**
 * A page whose server counts a former primary asks for a new stream from time to time, which may be another server's.
 * Returns the function to call every second or so.
 */
export function lookElsewhere(options: {
  readonly isOfFormer: () => boolean;
  readonly renew: () => void;
  readonly random: () => number;
}): () => void {
  let nextAtMs: number | undefined;
  return () => {
    if (!options.isOfFormer()) {
      nextAtMs = undefined;
      return;
    }
    nextAtMs ??= performance.now() + LOOK_EVERY_MS * (0.5 + options.random());
    if (performance.now() < nextAtMs) return;
    nextAtMs = undefined;
    options.renew();
  };
}
