/** What an operator says of a sector: entry without reading, entry suspended, read by another system. */
export type SectorMark = (typeof SECTOR_MARKS)[number];
export const SECTOR_MARKS = ['unscanned', 'suspended', 'elsewhere'] as const;

/**
 * What a desk asks to be written into the log, as it stands on the wire. `id` is a UUID that the page makes: the same
 * command sent again has the same, and is written once.
 */
export type DeskCommand = { readonly id: string } & (
  | { readonly kind: 'mark'; readonly sector: string; readonly mark: SectorMark }
  | { readonly kind: 'kick-off'; readonly kickOffAtMs: number }
  | { readonly kind: 'entry-closed' }
  | { readonly kind: 'evacuation' }
  /** `sector` null: of the whole ground. */
  | { readonly kind: 'occurrence'; readonly text: string; readonly sector: string | null }
  /** `entryId`: the `id` of the entry that no longer holds. */
  | { readonly kind: 'take-back'; readonly entryId: string }
);

/** Why a command makes no sense now. */
export type CommandRefusal =
  /** Its `id` stands in the log, with another content. */
  | 'id-in-use'
  /** What it sets holds already. */
  | 'in-force'
  /** The kick-off would be before the gates open. */
  | 'before-gates-open'
  | 'no-such-entry'
  /** The entry to be taken back is one that cannot be. */
  | 'permanent'
  | 'taken-back';
