import { type GalleryDesk, openGalleryDesk } from './open-gallery-desk.ts';
import type { CommandAnswer } from './stand-in-server.ts';
import { isViewName, VIEWS } from './views.ts';

const query = new URLSearchParams(window.location.search);

/** The view that the address names, if any. */
export const asked = query.get('view') ?? undefined;

export function openView(name: string): GalleryDesk {
  if (!isViewName(name)) throw new Error(`the gallery has no view ${name}`);
  const { open, isSignedOut, header } = VIEWS[name];
  return openGalleryDesk({
    standIn: open(),
    operator: isSignedOut ? undefined : (header?.operator ?? 'Ana'),
    answer: (query.get('answer') ?? 'recorded') as CommandAnswer,
  });
}
