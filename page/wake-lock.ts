/**
 * Keeps the display on while the page is visible, where the browser can (it needs HTTPS or localhost). The browser releases
 * the lock whenever the page is hidden, and may do so at other times.
 */
export function keepDisplayAwake(page: Document, browser: Navigator): void {
  // The types do not state that it is absent on an insecure origin.
  const wakeLock: WakeLock | undefined = browser.wakeLock;
  if (!wakeLock) return;
  const request = async () => {
    if (page.visibilityState !== 'visible') return;
    try {
      await wakeLock.request('screen');
    } catch {
      // Refused, for a low battery for instance: the display sleeps, the board goes on.
    }
  };
  page.addEventListener('visibilitychange', () => void request());
  void request();
}
