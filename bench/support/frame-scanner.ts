const BEGIN = Buffer.from('event: counts\n');
const END = Buffer.from('\n\n');
const NOTHING = Buffer.alloc(0);
const LINE_FEED = 0x0a;

/**
 * Finds the complete `counts` events in the bytes of one stream, however they come. It looks for nothing else, so that
 * chunked coding and WebSocket frames are passed over alike, at the same cost.
 */
export class FrameScanner {
  #rest = NOTHING;

  /** `bytes` may be used again afterwards. Calls `onFrame` with the text of each event; returns how many there were. */
  scan(bytes: Buffer, onFrame?: (event: Buffer) => void): number {
    const all = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    let found = 0;
    let at = 0;
    let begin = all.indexOf(BEGIN);
    for (; begin !== -1; begin = all.indexOf(BEGIN, at)) {
      const end = all.indexOf(END, begin);
      if (end === -1) break;
      at = end + END.length;
      found += 1;
      onFrame?.(all.subarray(begin, at));
    }
    // An event may have begun in the last bytes; most reads end where an event, or its chunk, does.
    if (begin === -1)
      begin = all.at(-1) === LINE_FEED ? all.length : Math.max(at, all.length - BEGIN.length + 1);
    this.#rest = begin < all.length ? Buffer.from(all.subarray(begin)) : NOTHING;
    return found;
  }
}
