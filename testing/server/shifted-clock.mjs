/**
 * Loaded before a program: its wall clock jumps when it gets a signal, as when an operator or NTP sets it. SIGUSR2: an
 * hour ahead; SIGWINCH: an hour back. The monotonic clock is not touched, as it is not then.
 */
const HOUR_MS = 60 * 60 * 1_000;
let shiftMs = 0;

const shift = (byMs) => {
  shiftMs += byMs;
  process.stderr.write(`clock shifted by ${shiftMs / HOUR_MS} h\n`);
};
process.on('SIGUSR2', () => shift(HOUR_MS));
process.on('SIGWINCH', () => shift(-HOUR_MS));

const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + shiftMs);
    else super(...args);
  }

  static now() {
    return RealDate.now() + shiftMs;
  }
};
