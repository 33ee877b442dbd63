import { printable } from '../cli/errors.ts';

/** `stops`: gates could not let people in, or what they send would be lost. `look`: somebody should see to it. */
type Level = 'ok' | 'look' | 'stops';

/** What the evening before a match shows of one thing. */
export interface Finding {
  readonly level: Level;
  readonly subject: string;
  /** With the fix, unless all is well. */
  readonly text: string;
}

export function ok(subject: string, text: string): Finding {
  return { level: 'ok', subject, text };
}

export function look(subject: string, text: string): Finding {
  return { level: 'look', subject, text };
}

export function stops(subject: string, text: string): Finding {
  return { level: 'stops', subject, text };
}

const MARKS = { ok: 'ok', look: 'LOOK', stops: 'STOPS' };

/** A line. */
export function describeFinding({ level, subject, text }: Finding): string {
  return `${MARKS[level].padEnd(5)}  ${subject.padEnd(12)}  ${printable(text).replaceAll('\n', ' ')}\n`;
}
