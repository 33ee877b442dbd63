import { hasFields, isListOf, isText } from '../../model/json-shape.ts';
import type { ShownSector } from '../../../domain/shown-venue.ts';
import { DEFAULT_VENUE } from '../../../domain/venue.ts';

/** Which event the server shows, and in which rows. */
export interface ShownEvent {
  readonly eventId: string;
  readonly sectors: readonly ShownSector[];
  /** What the walls show during an evacuation; absent: nothing. */
  readonly evacuationText?: string;
}

const isConfig = hasFields({ eventId: isText });
const hasSectors = hasFields({
  sectors: isListOf(hasFields({ code: isText, name: isText, stand: isText })),
});

/** As `/config.json` tells the wall: the default venue's rows are in the code. Rejects where it cannot be read. */
export async function readShownEvent(fetch: typeof globalThis.fetch): Promise<ShownEvent> {
  const response = await fetch('/config.json', { cache: 'no-store' });
  const config: unknown = await response.json();
  if (!response.ok || !isConfig(config)) throw new Error('malformed config');
  const { eventId, evacuationText: text } = config as { eventId: string; evacuationText?: unknown };
  const { sectors } = hasSectors(config) ? (config as ShownEvent) : DEFAULT_VENUE;
  return { eventId, sectors, ...(typeof text === 'string' && { evacuationText: text }) };
}

/** The rows that the figures are of: their names where the venue has them, else their codes. */
export function nameRows(codes: readonly string[], sectors: readonly ShownSector[]): readonly ShownSector[] {
  const isSame =
    codes.length === sectors.length && codes.every((code, index) => sectors[index]?.code === code);
  if (isSame) return sectors;
  const byCode = new Map(sectors.map((sector) => [sector.code, sector]));
  return codes.map((code) => byCode.get(code) ?? { code, name: code, stand: '' });
}
