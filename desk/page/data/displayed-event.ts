import { hasFields, isListOf, isText } from '../../model/json-shape.ts';
import type { ShownSector } from '../../../domain/shown-venue.ts';
import { DEFAULT_VENUE } from '../../../domain/venue.ts';

/** The server's current event, and its rows. */
export interface DisplayedEvent {
  readonly eventId: string;
  readonly sectors: readonly ShownSector[];
  /** The text of the walls during an evacuation, if any. */
  readonly evacuationText?: string;
}

const isConfig = hasFields({ eventId: isText });
const hasSectors = hasFields({
  sectors: isListOf(hasFields({ code: isText, name: isText, stand: isText })),
});

/** Reads `/config.json`, which leaves out the default venue's rows. Rejects if it is malformed or unavailable. */
export async function readDisplayedEvent(fetch: typeof globalThis.fetch): Promise<DisplayedEvent> {
  const response = await fetch('/config.json', { cache: 'no-store' });
  const config: unknown = await response.json();
  if (!response.ok || !isConfig(config)) throw new Error('malformed config');
  const { eventId, evacuationText: text } = config as { eventId: string; evacuationText?: unknown };
  const { sectors } = hasSectors(config) ? (config as DisplayedEvent) : DEFAULT_VENUE;
  return { eventId, sectors, ...(typeof text === 'string' && { evacuationText: text }) };
}

/** Names the rows of the figures by the venue, or else by their codes. */
export function nameRows(codes: readonly string[], sectors: readonly ShownSector[]): readonly ShownSector[] {
  const isSame =
    codes.length === sectors.length && codes.every((code, index) => sectors[index]?.code === code);
  if (isSame) return sectors;
  const byCode = new Map(sectors.map((sector) => [sector.code, sector]));
  return codes.map((code) => byCode.get(code) ?? { code, name: code, stand: '' });
}
