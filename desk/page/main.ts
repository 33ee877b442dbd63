import { openDesk } from './open-desk.ts';
import { takeLinkFragment } from './session/link-fragment.ts';

/** The link comes before anything else, as the address is visible and may be shared. */
export const link = takeLinkFragment(window);

/** The desk connects before the browser reads React (screen.tsx). */
export const desk = openDesk(document);
