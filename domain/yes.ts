/** Whether an answer at a terminal is a yes, in English or in Portuguese; undefined: there was none. */
export function isYes(answer: string | undefined): boolean {
  return /^(y|yes|s|sim)$/i.test(answer?.trim() ?? '');
}
