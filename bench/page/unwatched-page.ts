import { EventEmitter, once } from 'node:events';
import type { Browser } from 'playwright-core';
import type { Scope } from '../benchmark.ts';

/**
 * A page of an empty cache that the library which drives the browser does not look at. What the library does in each page
 * it opens (scripts in worlds of their own, a call stack for each request) takes a third of the time in which ours is
 * painted when the processor is slow; no user's browser does it.
 */
export interface UnwatchedPage {
  /** DevTools' commands (chromedevtools.github.io/devtools-protocol). Rejects with what the browser says. */
  send<T>(method: string, params?: object): Promise<T>;
  /** The value of an expression that JSON can hold. */
  evaluate<T>(expression: string): Promise<T>;
}

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export async function openUnwatchedPage({ stops }: Scope, browser: Browser): Promise<UnwatchedPage> {
  const devTools = await browser.newBrowserCDPSession();
  // The library leaves alone what it finds in a context that it has not made.
  const { browserContextId } = await devTools.send('Target.createBrowserContext');
  const { targetId } = await devTools.send('Target.createTarget', { url: 'about:blank', browserContextId });
  const { sessionId } = await devTools.send('Target.attachToTarget', { targetId });
  // A page that is gone answers nothing any more: neither what was asked, nor what will be.
  const gone = new AbortController();
  const end = (): void => gone.abort();
  browser.once('disconnected', end);
  stops.push(async () => {
    browser.off('disconnected', end);
    if (!gone.signal.aborted) await devTools.send('Target.disposeBrowserContext', { browserContextId });
  });
  devTools.on('Target.targetCrashed', (event) => event.targetId === targetId && end());
  await devTools.send('Target.setDiscoverTargets', { discover: true });
  const answers = new EventEmitter();
  devTools.on('Target.receivedMessageFromTarget', (event) => {
    const answer = JSON.parse(event.message) as Answer;
    if (event.sessionId === sessionId && answer.id !== undefined) answers.emit(String(answer.id), answer);
  });

  let lastId = 0;
  const send = async <T>(method: string, params: object = {}): Promise<T> => {
    const id = (lastId += 1);
    const message = JSON.stringify({ id, method, params });
    const [[{ result, error }]] = await Promise.all([
      once(answers, String(id), { signal: gone.signal }) as Promise<[Answer]>,
      devTools.send('Target.sendMessageToTarget', { sessionId, message }),
    ]).catch((cause: unknown) => {
      throw gone.signal.aborted ? new Error(`${method}: the page is gone`, { cause }) : cause;
    });
    if (error) throw new Error(`${method}: ${error.message}`);
    return result as T;
  };
  return {
    send,
    async evaluate<T>(expression: string) {
      const evaluation = { expression, returnByValue: true };
      const { result } = await send<{ result: { value: T } }>('Runtime.evaluate', evaluation);
      return result.value;
    },
  };
}
