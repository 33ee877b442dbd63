import type { Page } from 'playwright-core';

/** Notes each tone that the page begins from now on, which is heard all the same. Returns how many there were. */
export async function countTones(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const tones: number[] = [];
    Object.assign(globalThis, { tones });
    const createOscillator = (audio: AudioContext) => new OscillatorNode(audio);
    AudioContext.prototype.createOscillator = function noted(this: AudioContext) {
      tones.push(performance.now());
      return createOscillator(this);
    };
  });
  return async () => (await tonesOf(page)).length;
}

/** When each began, in milliseconds by the page's clock: of a page whose tones are counted. */
export function tonesOf(page: Page): Promise<readonly number[]> {
  return page.evaluate(() => (globalThis as unknown as { tones: number[] }).tones);
}
