/** Returns how many bytes at the end begin a character that the next chunk completes: 0 to 3. */
export function openEnd(bytes: Buffer): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const byte = bytes[bytes.length - length] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return length < lengthOf(byte) ? length : 0;
  }
  return 0;
}

/** Returns the index of the first multibyte character, or undefined. */
export function findMultibyte(bytes: Buffer): number | undefined {
  const index = bytes.toString('latin1').search(MULTIBYTE);
  return index === -1 ? undefined : index;
}

const MULTIBYTE =
  /[\u00C2-\u00DF][\u0080-\u00BF]|[\u00E0-\u00EF][\u0080-\u00BF]{2}|[\u00F0-\u00F4][\u0080-\u00BF]{3}/;

function lengthOf(leadByte: number): number {
  if (leadByte >= 0xf0) return leadByte <= 0xf4 ? 4 : 1;
  if (leadByte >= 0xe0) return 3;
  return leadByte >= 0xc2 ? 2 : 1;
}
