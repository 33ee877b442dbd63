import type { Page } from 'playwright-core';

/** Notes each tone that the page begins from now on, which is heard all the same. Returns how many there were. */
export async function countTones(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    Object.assign(globalThis, { tones: 0 });
    const heard = globalThis as unknown as { tones: number };
    const createOscillator = (audio: AudioContext) => new OscillatorNode(audio);
    AudioContext.prototype.createOscillator = function noted(this: AudioContext) {
      heard.tones += 1;
      return createOscillator(this);
    };
  });
  return () => page.evaluate(() => (globalThis as unknown as { tones: number }).tones);
}
