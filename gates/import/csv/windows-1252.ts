/**
 * The bytes 0x80 to 0x9F by the WHATWG encoding standard, of which five are undefined; the others are those of Latin-1. The
 * table is needed because TextDecoder takes this encoding for Latin-1 in some versions of Node.
 */
const HIGH_CONTROLS = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ';
const FIRST = 0x80;

/** Returns undefined where a byte has no character. */
export function decodeWindows1252(bytes: Buffer): string | undefined {
  let isDefined = true;
  const text = bytes.toString('latin1').replaceAll(/[\u0080-\u009F]/g, (control) => {
    const character = HIGH_CONTROLS.charAt(control.charCodeAt(0) - FIRST);
    if (character === '\0') isDefined = false;
    return character;
  });
  return isDefined ? text : undefined;
}
