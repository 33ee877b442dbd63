import type { KeyboardEvent } from 'react';

const STOPS = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

/** Keeps Tab within a dialog: it goes from the last stop to the first, and Shift+Tab back. */
export function holdTab(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Tab' || event.defaultPrevented) return;
  const stops = stopsOf(event.currentTarget);
  const [first, last] = [stops[0], stops.at(-1)];
  if (!first || !last) return;
  const end = event.shiftKey ? first : last;
  const isAtEnd =
    isSameStop(document.activeElement, end) || !event.currentTarget.contains(document.activeElement);
  if (!isAtEnd) return;
  event.preventDefault();
  (event.shiftKey ? last : first).focus();
}

function stopsOf(dialog: HTMLElement): readonly HTMLElement[] {
  const visible = [...dialog.querySelectorAll<HTMLElement>(STOPS)].filter(
    (each) => !each.matches(':disabled, [tabindex="-1"]') && each.getClientRects().length > 0,
  );
  // Tab reaches only the chosen radio button of a group.
  return visible.filter(
    (each) =>
      !isRadio(each) || each.checked || !visible.some((other) => isSameStop(other, each) && isChosen(other)),
  );
}

function isSameStop(a: Element | null, b: Element): boolean {
  return a === b || (isRadio(a) && isRadio(b) && a.name === b.name);
}

function isChosen(element: Element): boolean {
  return isRadio(element) && element.checked;
}

function isRadio(element: Element | null): element is HTMLInputElement {
  return element instanceof HTMLInputElement && element.type === 'radio';
}
