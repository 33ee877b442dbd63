/** What the page tells of its own loading; times in milliseconds since navigation began. */
export interface PageTimes {
  readonly firstPaintMs: number;
  readonly largestPaintMs: number;
  /** Until the status says "ao vivo". */
  readonly liveMs: number;
  /** Tasks of more than 50 ms. */
  readonly longTasks: readonly { readonly startMs: number; readonly durationMs: number }[];
  /** Sum of all layout shifts that nobody's input caused. */
  readonly layoutShift: number;
}

/** Runs in the page, before anything of its own. A text: this project's Node code knows no browser's globals. */
export const WATCH_PAGE = `
  window.benchTimes = { firstPaintMs: NaN, largestPaintMs: NaN, liveMs: NaN, longTasks: [], layoutShift: 0 };
  const times = window.benchTimes;
  const watch = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  watch('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') times.firstPaintMs = startTime;
  });
  watch('largest-contentful-paint', ({ startTime }) => (times.largestPaintMs = startTime));
  watch('longtask', ({ startTime, duration }) =>
    times.longTasks.push({ startMs: startTime, durationMs: duration }));
  watch('layout-shift', ({ value, hadRecentInput }) => {
    if (!hadRecentInput) times.layoutShift += value;
  });
  const status = new MutationObserver(() => {
    if (!document.querySelector('#status [data-status="live"]')) return;
    times.liveMs = performance.now();
    status.disconnect();
  });
  status.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-status'] });
`;
