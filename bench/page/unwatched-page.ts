import type { Browser } from 'playwright-core';
import type { Scope } from '../benchmark.ts';

/**
 * A page of an empty cache that the library which drives the browser does not look at. What the library does in each page
 * it opens (scripts in worlds of their own, a call stack for each request) takes a third of the time in which ours is
 * painted when the processor is slow; no user's browser does it.
 */
export interface UnwatchedPage {
  /** DevTools' commands (chromedevtools.github.io/devtools-protocol). Rejects with what the browser says. */
  send(method: string, params?: object): Promise<unknown>;
  /** The value of an expression that JSON can hold. */
  evaluate<T>(expression: string): Promise<T>;
}

const GONE: Answer = { error: { message: 'the page is gone' } };

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export async function openUnwatchedPage(
  { stops }: Scope,
  browser: Browser,
  viewport: { readonly width: number; readonly height: number },
): Promise<UnwatchedPage> {
  const devTools = await browser.newBrowserCDPSession();
  // The library leaves alone what it finds in a context that it has not made.
  const { browserContextId } = await devTools.send('Target.createBrowserContext');
  const { targetId } = await devTools.send('Target.createTarget', { url: 'about:blank', browserContextId });
  const { sessionId } = await devTools.send('Target.attachToTarget', { targetId });
  const calls = new Map<number, (answer: Answer) => void>();
  // A page that is gone answers nothing any more: neither what was asked, nor what will be.
  let isGone = false;
  const end = (): void => {
    isGone = true;
    for (const answer of calls.values()) answer(GONE);
  };
  browser.once('disconnected', end);
  stops.push(async () => {
    browser.off('disconnected', end);
    // Not when the browser is gone.
    if (!isGone) await devTools.send('Target.disposeBrowserContext', { browserContextId });
  });
  devTools.on('Target.targetCrashed', (event) => event.targetId === targetId && end());
  await devTools.send('Target.setDiscoverTargets', { discover: true });
  devTools.on('Target.receivedMessageFromTarget', (event) => {
    if (event.sessionId !== sessionId) return;
    const answer = JSON.parse(event.message) as Answer;
    if (answer.id !== undefined) calls.get(answer.id)?.(answer);
  });

  let lastId = 0;
  const send = async (method: string, params: object = {}): Promise<unknown> => {
    const id = (lastId += 1);
    const answered = new Promise<Answer>((resolve) => calls.set(id, resolve));
    await devTools.send('Target.sendMessageToTarget', {
      sessionId,
      message: JSON.stringify({ id, method, params }),
    });
    const { result, error } = isGone ? GONE : await answered;
    calls.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  await send('Emulation.setDeviceMetricsOverride', { ...viewport, deviceScaleFactor: 1, mobile: false });
  return {
    send,
    async evaluate<T>(expression: string) {
      const { result } = (await send('Runtime.evaluate', { expression, returnByValue: true })) as {
        result: { value: T };
      };
      return result.value;
    },
  };
}
