import type { Sector } from './venue.ts';

/** The venue in `/config.json`, where it is not the default one. */
export interface ShownVenue {
  /** It changes with the content of the venue. */
  readonly venueId: string;
  /** In the order of the screen. */
  readonly sectors: readonly ShownSector[];
  readonly layout: RowLayout;
  /** What walls display during an evacuation; absent: nothing. */
  readonly evacuationText?: string;
}

export type ShownSector = Pick<Sector, 'code' | 'name' | 'stand'>;

/** The room that the rows need, for the style sheet (page/design/measures.css). */
export interface RowLayout {
  /** `data-rows` of the root element: more than one column of a wall holds, or also of an upright wall. */
  readonly rows: '' | 'many' | 'most';
  /** The style declarations of the root element. */
  readonly style: string;
}
