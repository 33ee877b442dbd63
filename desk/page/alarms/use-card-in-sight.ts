import { type RefObject, useLayoutEffect, useRef } from 'react';

interface Place {
  readonly card: Element;
  /** From the top of the list, in pixels. */
  readonly top: number;
  readonly height: number;
}

/**
 * Keeps the card in which an operator writes on the screen when the cards change places, or it says something else. Returns what
 * the list has to call when an element in it gets the focus.
 */
export function useCardInSight(list: RefObject<HTMLElement | null>): () => void {
  const last = useRef<Place | null>(null);
  useLayoutEffect(() => {
    const before = last.current;
    const place = writtenPlace(list.current);
    last.current = place;
    if (!place || before?.card !== place.card) return;
    if (place.top !== before.top || place.height !== before.height)
      place.card.scrollIntoView({ block: 'nearest' });
  });
  return () => (last.current = writtenPlace(list.current));
}

function writtenPlace(list: HTMLElement | null): Place | null {
  const field = document.activeElement;
  const card = field?.matches('input, textarea') ? field.closest('.alarm') : null;
  if (!list || !card || !list.contains(card)) return null;
  const { top, height } = card.getBoundingClientRect();
  return { card, top: top - list.getBoundingClientRect().top, height };
}
