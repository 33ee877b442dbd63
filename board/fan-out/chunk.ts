/**
 * Frames a text as one chunk of HTTP/1.1's chunked transfer coding (RFC 9112, section 7.1), so that the same
 * bytes can be written to every socket. An empty text gives no bytes: an empty chunk would end the body.
 */
export function chunk(text: string): Buffer {
  if (text === '') return Buffer.alloc(0);
  const length = Buffer.byteLength(text).toString(16);
  return Buffer.from(`${length}\r\n${text}\r\n`);
}
