import type { Sector } from './venue.ts';

/** What a page is told of a venue that is not the default one, in `/config.json`. */
export interface ShownVenue {
  /** Another venue has another, and so has the same one once it is corrected. */
  readonly venueId: string;
  /** In the order of the screen. */
  readonly sectors: readonly ShownSector[];
  readonly layout: RowLayout;
  /** What walls show during an evacuation; absent: nothing. */
  readonly evacuationText?: string;
}

export type ShownSector = Pick<Sector, 'code' | 'name' | 'stand'>;

/** How much room the rows need, as the root element says it to the style sheet (page/design/measures.css). */
export interface RowLayout {
  /** Its `data-rows`: more than one column of a wall holds, or of an upright wall, too. */
  readonly rows: '' | 'many' | 'most';
  /** The declarations of its style. */
  readonly style: string;
}
