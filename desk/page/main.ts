import { openDesk } from './open-desk.ts';
import { takeLinkFragment } from './session/link-fragment.ts';

/** Before anything else: the address is shown, and may be shared. */
export const link = takeLinkFragment(window);

/** Connects before React is read (screen.tsx). */
export const desk = openDesk(document);
