type Close = () => Promise<void>;

let collect: (close: Close) => void = () => {};

/** From now on, what is opened is told to this collector: whoever opens something need not close it. */
export function collectOpened(collector: (close: Close) => void): void {
  collect = collector;
}

/** How something that is open now is closed: once, however often it is asked for. */
export function closeOnce(close: () => unknown): Close {
  let closed: Promise<void> | undefined;
  const once = (): Promise<void> =>
    (closed ??= (async () => {
      await close();
    })());
  collect(once);
  return once;
}
