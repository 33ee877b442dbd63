import type { Page } from 'playwright-core';

type Played = { tones: number[] };

/** Records the tones that the page plays from now on. Returns the seconds that each lasts. */
export async function noteTones(page: Page): Promise<() => Promise<readonly number[]>> {
  await page.evaluate(() => {
    Object.assign(globalThis, { tones: [] });
    const { tones } = globalThis as unknown as Played;
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
  return () => page.evaluate(() => (globalThis as unknown as Played).tones);
}

/** Counts the tones that the page plays from now on. */
export async function countTones(page: Page): Promise<() => Promise<number>> {
  const tones = await noteTones(page);
  return async () => (await tones()).length;
}
