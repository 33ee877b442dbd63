import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

interface Place {
  readonly card: Element;
  /** From the top of the screen, in pixels. */
  readonly top: number;
  readonly height: number;
}

/**
 * Keeps the card in which an operator writes where it is on the screen when the cards change places, as far as the page can be
 * scrolled, and in sight when it says something else. Returns what the list has to call when an element in it gets the focus.
 */
export function useCardInSight(list: RefObject<HTMLElement | null>): () => void {
  const last = useRef<Place | null>(null);
  useLayoutEffect(() => {
    const before = last.current;
    last.current = writtenPlace(list.current);
    if (!last.current || before?.card !== last.current.card) return;
    const { card, top, height } = last.current;
    if (top === before.top && height === before.height) return;
    // On a phone the page scrolls, else the column.
    for (const scrolled of [card.closest('.desk-alarms'), document.scrollingElement])
      scrolled?.scrollBy({ top: card.getBoundingClientRect().top - before.top, behavior: 'instant' });
    card.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    last.current = writtenPlace(list.current);
  });
  useEffect(() => {
    const note = () => (last.current = writtenPlace(list.current));
    document.addEventListener('scroll', note, { capture: true, passive: true });
    return () => document.removeEventListener('scroll', note, { capture: true });
  }, [list]);
  return () => (last.current = writtenPlace(list.current));
}

function writtenPlace(list: HTMLElement | null): Place | null {
  const field = document.activeElement;
  const card = field?.matches('input, textarea') ? field.closest('.alarm') : null;
  if (!list || !card || !list.contains(card)) return null;
  const { top, height } = card.getBoundingClientRect();
  return { card, top, height };
}
