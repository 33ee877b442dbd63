/** The limit of the table of events, in bytes of UTF-8. */
const MAX_TITLE_BYTES = 400;

/** Returns why a text cannot be a match's title; undefined: it can. Spaces around it do not count. */
export function titleFault(text: string): string | undefined {
  const title = text.trim();
  if (title === '' || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(title))
    return 'is empty, or holds a character that no screen can show';
  if (new TextEncoder().encode(title).length > MAX_TITLE_BYTES)
    return `is longer than ${MAX_TITLE_BYTES} bytes`;
  return undefined;
}

/** Returns what pages display: with "Triagem · " before the event's title, unless it begins with it. */
export function titleOf(eventTitle: string | undefined): string {
  if (eventTitle === undefined || eventTitle === 'Triagem') return 'Triagem';
  return eventTitle.startsWith('Triagem · ') ? eventTitle : `Triagem · ${eventTitle}`;
}
