import type { Page } from 'playwright-core';

type Heard = { tones: number[] };

/** Notes each tone that the page begins from now on, which is heard all the same. Returns how many seconds each lasts. */
export async function noteTones(page: Page): Promise<() => Promise<readonly number[]>> {
  await page.evaluate(() => {
    Object.assign(globalThis, { tones: [] });
    const { tones } = globalThis as unknown as Heard;
    AudioContext.prototype.createOscillator = function noted(this: AudioContext) {
      const tone = new OscillatorNode(this);
      const place = tones.push(0) - 1;
      tone.start = (fromS = 0) => {
        tones[place] = -fromS;
        AudioScheduledSourceNode.prototype.start.call(tone, fromS);
      };
      tone.stop = (toS = 0) => {
        tones[place] = Math.round(100 * (toS + (tones[place] ?? 0))) / 100;
        AudioScheduledSourceNode.prototype.stop.call(tone, toS);
      };
      return tone;
    };
  });
  return () => page.evaluate(() => (globalThis as unknown as Heard).tones);
}

/** Counts each tone that the page begins from now on. Returns how many there were. */
export async function countTones(page: Page): Promise<() => Promise<number>> {
  const tones = await noteTones(page);
  return async () => (await tones()).length;
}
