import type { Page } from 'playwright-core';

/** Screens as '1920×1080 390×844' → [width, height] of each. */
export function sizes(screens: string): [width: number, height: number][] {
  return screens.split(' ').map((size) => size.split('×').map(Number) as [number, number]);
}

/** The elements of the board whose positions must depend on the screen alone. */
const PLACED = '.title, .event, h2, .total, caption, thead th, tbody tr, tbody td, .others';

/** Returns left, top and height of each element, in whole pixels. */
export function placesOf(page: Page): Promise<string[]> {
  return page.locator(PLACED).evaluateAll((elements) =>
    elements.map((element) => {
      const { left, top, height } = element.getBoundingClientRect();
      return [element.className || element.tagName, ...[left, top, height].map(Math.round)].join(' ');
    }),
  );
}

/** The names that stand on more than one line. */
export function wrappedNames(page: Page): Promise<string[]> {
  return page.locator('tbody th').evaluateAll((names) =>
    names
      .filter((name) => {
        const text = document.createRange();
        text.selectNodeContents(name);
        return new Set([...text.getClientRects()].map(({ top }) => top)).size > 1;
      })
      .map((name) => name.textContent ?? ''),
  );
}

/** Returns elements that are cut off or outside the screen. A count's fill reaches a little beyond its number on purpose. */
export function cutOff(page: Page): Promise<string[]> {
  return page
    .locator('.title, .event, .total, tbody th, tbody td, .others, .status')
    .evaluateAll((elements) =>
      elements
        .filter((element) => {
          const { left, right } = element.getBoundingClientRect();
          const isCut =
            (!element.matches('td') && element.scrollWidth > element.clientWidth + 1) ||
            (element.matches('.title') && element.scrollHeight > element.clientHeight + 1);
          return left < 0 || right > innerWidth || isCut;
        })
        .map((element) => element.className || (element.textContent ?? '')),
    );
}

/** Returns pairs of texts of these elements that stand on one line, or over each other, less than `leastPx` apart. */
export function touchingTexts(page: Page, selector: string, leastPx: number): Promise<string[]> {
  return page.locator(selector).evaluateAll((elements, px) => {
    const lines = elements.flatMap((element) => {
      const found: { element: Element; words: string; rect: DOMRect }[] = [];
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        const within = text.parentElement;
        if (!within?.checkVisibility() || getComputedStyle(within).clipPath !== 'none') continue;
        const range = document.createRange();
        range.selectNodeContents(text);
        const words = text.textContent ?? '';
        for (const rect of range.getClientRects())
          if (rect.width > 1 && words.trim() !== '') found.push({ element, words, rect });
      }
      return found;
    });
    return lines.flatMap((one, place) =>
      lines.slice(place + 1).flatMap((other) => {
        const [a, b] = [one.rect, other.rect];
        if (one.element === other.element) return [];
        const shared = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        const apart = Math.max(a.left, b.left) - Math.min(a.right, b.right);
        // The box of a text is higher than its letters.
        const isBeside = shared > 0.3 * Math.min(a.height, b.height);
        return isBeside && apart < px ? [`${one.words} | ${other.words}: ${apart} px`] : [];
      }),
    );
  }, leastPx);
}

export function scrolls(page: Page): Promise<{ sideways: boolean; down: boolean }> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement;
    return { sideways: scrollWidth > clientWidth, down: scrollHeight > clientHeight };
  });
}

/** Returns the name and size of each control within `within` that is smaller than `leastPx`. */
export function smallControls(page: Page, within: string, leastPx: number): Promise<string[]> {
  return page.locator(within).evaluateAll(
    (places, px) =>
      places.flatMap((place) =>
        [...place.querySelectorAll<HTMLElement>('a, button, input, select, summary, textarea')].flatMap(
          (control) => {
            const isChoice = control.matches('[type=radio], [type=checkbox]');
            // A choice is pressed by its words as well.
            const pressed = (isChoice && control.closest('label')) || control;
            const { width, height } = pressed.getBoundingClientRect();
            const isShown = width > 0 && height > 0;
            if (!isShown || (width >= px && height >= px)) return [];
            const name = control.getAttribute('aria-label') ?? pressed.innerText;
            return [`${control.tagName} "${name}": ${Math.round(width)} × ${Math.round(height)}`];
          },
        ),
      ),
    leastPx,
  );
}

/** Measures layout shifts (CLS). Must be called before the page is opened; the result returns the sum so far. */
export async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    let sum = 0;
    const add = (entries: PerformanceEntryList) => {
      for (const entry of entries) sum += (entry as unknown as { value: number }).value;
    };
    const observer = new PerformanceObserver((list) => add(list.getEntries()));
    observer.observe({ type: 'layout-shift', buffered: true });
    // A test's clock may have replaced requestAnimationFrame, so the next frame is observed.
    const painted = () =>
      new Promise<void>((resolve) => {
        const first = new ResizeObserver(() => {
          first.disconnect();
          resolve();
        });
        first.observe(document.documentElement);
      });
    const shifted = async () => {
      await painted();
      await painted();
      add(observer.takeRecords());
      return sum;
    };
    Object.assign(globalThis, { shifted });
  });
  return () => page.evaluate(() => (globalThis as unknown as { shifted(): Promise<number> }).shifted());
}

/** Returns the fonts with which the browser draws an element's text. */
export async function fontsOf(page: Page, selector: string): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  try {
    await session.send('DOM.enable');
    await session.send('CSS.enable');
    const { root } = await session.send('DOM.getDocument');
    const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector });
    const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId });
    return fonts.map(({ familyName }) => familyName);
  } finally {
    await session.detach();
  }
}
