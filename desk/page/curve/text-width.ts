const NARROW = /[.,:;·'’|!()[\]ifjlrtíì ]/;
const WIDE = /[mwMW%+@—]/;
const CAPITAL = /[A-ZÀ-Ý]/;

/** The greatest width of a text in pixels, in the page's font or its stand-in, computed without a screen. */
export function textWidth(text: string, fontPx: number): number {
  let em = 0;
  for (const letter of text) {
    if (NARROW.test(letter)) em += 0.4;
    else if (WIDE.test(letter)) em += 0.95;
    else if (CAPITAL.test(letter)) em += 0.75;
    else em += 0.66;
  }
  return em * fontPx;
}
