import { liveMessageDecoder } from '../../../domain/live-message.ts';
import { SECTOR_CODES } from '../../../domain/default-sectors.ts';
import { openBoard } from '../../../board/page/open-board.ts';

const page = document;

/** Makes the document of a frame a page like the board's. */
function documentOf(name: string): Document {
  const frame = page.querySelector<HTMLIFrameElement>(`[name=${name}]`);
  const template = page.querySelector('template');
  if (!frame?.contentDocument || !template) throw new Error('the page has lost its frames');
  const { contentDocument } = frame;
  Object.assign(contentDocument.documentElement.dataset, page.documentElement.dataset);
  contentDocument.body.append(template.content.cloneNode(true));
  return contentDocument;
}

export const documents = [documentOf('left'), documentOf('right')] as const;
const [left, right] = documents;

/** Two boards in one script have a document each; the left one has its own venue. */
export const boards = [
  openBoard(left, {
    decode: liveMessageDecoder(SECTOR_CODES),
    sectorTable: async () => (await import('./small-venue.tsx')).SmallVenueTable,
  }),
  openBoard(right, {
    decode: liveMessageDecoder(SECTOR_CODES),
    sectorTable: async () => (await import('../../../board/page/venue-table.tsx')).VenueTable,
  }),
] as const;
