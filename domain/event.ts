/** The event this product shows unless it is told otherwise: a constant of the product. */
export const DEFAULT_EVENT_ID = '5f0c8a1de4b94b6f9a3e7c2d10b8f6a4';

/** An event ID is 32 hexadecimal characters. */
export function isEventId(text: string): boolean {
  return /^[0-9a-fA-F]{32}$/.test(text);
}
