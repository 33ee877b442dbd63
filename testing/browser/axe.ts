import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/**
 * What axe finds wrong with the page as it is now, or with a part of it, which costs less: which rule, and where. The page's own policy would not allow it:
 * such pages are opened with `bypassCSP`.
 */
export async function axeFaults(page: Page, within = 'html'): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.addScriptTag({ path: AXE });
  return page.evaluate(async (place) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          context: string,
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
      };
    };
    // No rule of those that are run needs what it would load first.
    const { violations } = await axe.run(place, { resultTypes: ['violations'], preload: false });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, within);
}
