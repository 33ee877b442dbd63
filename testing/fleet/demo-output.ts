import type { Program } from '../server/program.ts';

/** Returns the ID of this process, of what `npm run demo:fleet` says that it runs. */
export function processOf({ stdout }: Program, name: string): number {
  const [, , again] = stdout().split(new RegExp(`(${name} runs again: process )`));
  const [, first] = new RegExp(`^  ${name} +(\\d+) `, 'm').exec(stdout()) ?? [];
  return Number.parseInt(again ?? first ?? '', 10);
}

/** Where it says how it is, or its host and port. */
export function placeOf({ stdout }: Program, name: string): string {
  return new RegExp(`^  ${name} +\\d+ +(\\S+)$`, 'm').exec(stdout())?.[1] ?? '';
}

/** What stands after these words, perhaps on the next line. */
export function printedAfter({ stdout }: Program, words: string): string {
  return new RegExp(`${words}\\s+(.*)\n`).exec(stdout())?.[1] ?? '';
}
