export const VARIANTS = ['alone', 'desk'] as const;
export type Variant = (typeof VARIANTS)[number];

export const DESK_KEY = 'uma-chave-da-mesa-com-32-letras!';

/** Of a server without a desk, and with one that keeps a record. */
export function settingsOf(variant: Variant, recordUrl: string): Record<string, string> {
  return variant === 'desk' ? { DESK_KEY, RECORD_DATABASE_URL: recordUrl } : {};
}
