export const DELIMITERS = [',', ';', '\t'] as const;
const NAMES: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' };

export function nameOfDelimiter(delimiter: string): string {
  return NAMES[delimiter] ?? `"${delimiter}"`;
}
