import { printable } from '../cli/errors.ts';

/** `stops`: gates could not let people in, or their messages would be lost. `look`: somebody should see to it. */
type Level = 'ok' | 'look' | 'stops';

export interface Finding {
  readonly level: Level;
  readonly subject: string;
  /** Includes the fix, unless all is well. */
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

/** Further lines of the text stand below its first one. */
export function describeFinding({ level, subject, text }: Finding): string {
  const head = `${MARKS[level].padEnd(5)}  ${subject.padEnd(12)}  `;
  return `${head}${printable(text).replaceAll('\n', `\n${' '.repeat(head.length)}`)}\n`;
}
