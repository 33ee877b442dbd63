import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { closeOnce } from '../close-once.ts';

export interface BrowserOptions {
  /** Default: what HEADLESS_CHROMIUM_PATH names (`npm test` finds or installs one). */
  readonly executablePath?: string | undefined;
  /** Beside the kit's own. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Closes it when aborted: what waits for it then fails. */
  readonly signal?: AbortSignal;
}

/**
 * V8 compiles and collects on the page's own thread, and optimises nothing: threads beside it add a fifth to the processor
 * time of a page that is opened once, and optimised code a third to that of a page that axe looks at. `board.test` is this
 * machine under a name that no browser trusts as such; names below `exemplo.test` are those of events.
 */
const SHARED_ARGS = [
  '--js-flags=--single-threaded --no-opt --no-maglev',
  '--host-resolver-rules=MAP board.test 127.0.0.1, MAP *.exemplo.test 127.0.0.1',
];

/** A Chromium of this process, launched when it is first needed. */
let shared: Promise<Browser> | undefined;
const lasting = new WeakSet<BrowserContext>();

/**
 * The Chromium that all test files of this process share: contexts keep their pages apart, and those of a file are closed
 * after it, but for those that `outliveFile` was told. A browser that is gone is replaced. It ends with the process, whatever ends that: Chromium quits when the pipe
 * to it closes.
 */
export async function openBrowser(): Promise<Browser> {
  const open = () => (shared = launch({ args: SHARED_ARGS }));
  let browser = await (shared ?? open());
  if (!browser.isConnected()) browser = await open();
  closeOnce(() => {
    const opened = browser.contexts().filter((context) => !lasting.has(context));
    return Promise.all(opened.map((context) => context.close()));
  });
  return browser;
}

/** The context stays open for the files after this one. */
export function outliveFile(context: BrowserContext): void {
  lasting.add(context);
}

/** Its processes that are there now: those of its pages as well. */
export async function processIdsOf(browser: Browser): Promise<readonly number[]> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.map(({ id }) => id);
}

/** A real Chromium without a window, for the caller alone. */
export async function launchBrowser(options: BrowserOptions = {}): Promise<Browser> {
  const { signal } = options;
  const browser = await launch(options);
  const close = closeOnce(() => browser.close());
  if (signal?.aborted) void close();
  else signal?.addEventListener('abort', () => void close(), { once: true });
  return browser;
}

async function launch(options: BrowserOptions): Promise<Browser> {
  const { executablePath = process.env['HEADLESS_CHROMIUM_PATH'], args = [], env = {}, signal } = options;
  if (!executablePath) {
    throw new Error('There is no Chromium: set HEADLESS_CHROMIUM_PATH (`npm test` finds or installs one).');
  }
  // With a signal, Ctrl-C is the caller's to handle: the library would end the whole process.
  const handles = signal === undefined;
  return chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    handleSIGINT: handles,
    handleSIGTERM: handles,
    handleSIGHUP: handles,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...args,
    ],
  });
}
