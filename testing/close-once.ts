import { AsyncLocalStorage } from 'node:async_hooks';

type Close = () => Promise<void>;
/** `outlivesTest`: it is closed after the last test of the file. */
type Collector = (close: Close, outlivesTest: boolean) => void;

const outliving = new AsyncLocalStorage<true>();
let collect: Collector = () => {};

/** Passes to this collector how to close everything that is opened from now on, so that its openers need not close it. */
export function collectOpened(collector: Collector): void {
  collect = collector;
}

/** What a test opens in `run` serves the tests after it, too. */
export function openBeyondTest<T>(run: () => T): T {
  return outliving.run(true, run);
}

/** Every one, the newest first, even if one before it fails; then throws the first failure. */
export async function closeAll(opened: Close[]): Promise<void> {
  const failures: unknown[] = [];
  for (let close = opened.pop(); close; close = opened.pop()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/** How something that is open now is closed: once, however often it is asked for. */
export function closeOnce(close: () => unknown): Close {
  const once = onlyOnce(close);
  collect(once, outliving.getStore() ?? false);
  return once;
}

/** As `closeOnce`, but nobody closes it unasked. */
export function onlyOnce(close: () => unknown): Close {
  let closed: Promise<void> | undefined;
  return (): Promise<void> =>
    (closed ??= (async () => {
      await close();
    })());
}
