import { type GalleryDesk, openGalleryDesk } from './open-gallery-desk.ts';
import type { CommandAnswer } from './stand-in-server.ts';
import { isViewName, VIEWS } from './views.ts';

const query = new URLSearchParams(window.location.search);

/** The view that the address names; `undefined` without one. */
export const asked = query.get('view') ?? undefined;

/** A fresh stand-in of that name. */
export function openView(name: string): GalleryDesk {
  if (!isViewName(name)) throw new Error(`the gallery has no view ${name}`);
  const { open, isSignedOut } = VIEWS[name];
  return openGalleryDesk({
    standIn: open(),
    operator: isSignedOut ? undefined : 'Ana',
    answer: (query.get('answer') ?? 'recorded') as CommandAnswer,
  });
}
