import { type CSSProperties, useState } from 'react';
import type { LiveState } from '../../page/live-state.ts';
import type { ReadableStore } from '../../page/store.ts';
import { useStore } from '../../page/use-store.ts';

/**
 * Returns the venue's text while an evacuation is active; `undefined` without a text or an evacuation. Where the server could not
 * read its record, what was known before holds.
 */
export function useEvacuation(state: ReadableStore<LiveState>): string | undefined {
  const text = useStore(state, evacuationText);
  const [known, setKnown] = useState<string>();
  if (text !== null && text !== known) setKnown(text);
  return text === null ? known : text;
}

/** Returns null where it is not known whether there is one. */
function evacuationText({ incomplete, venue }: LiveState): string | undefined | null {
  if (incomplete[0]?.from === '') return null;
  return incomplete.some(({ kind }) => kind) ? venue?.evacuationText : undefined;
}

const properties = (values: Readonly<Record<string, string>>): CSSProperties => values;

/**
 * The rows shrink to make room for the notice. Their height and letters pass through other names, as a property cannot be
 * computed from itself. These styles are in the script, so that walls whose venue has no text load nothing more.
 */
export const ROOM = {
  section: properties({
    '--less-height': 'calc(0.8 * var(--row-height))',
    '--less-unit': 'calc(0.8 * var(--row-unit))',
  }),
  table: properties({ '--row-height': 'var(--less-height)', '--row-unit': 'var(--less-unit)' }),
};

/** The notice stays at the lower edge of a page that scrolls, and covers nothing at its end. */
export function EvacuationNotice({ text }: { readonly text: string }) {
  return (
    <p
      role="alert"
      className="evacuation"
      style={{
        position: 'sticky',
        bottom: 0,
        marginTop: '0.25em',
        padding: '0.25em 0.5em',
        background: 'var(--ink)',
        color: 'var(--ground)',
        // The text stays on one line unless its letters would be too small.
        fontSize: `max(1.25rem, min(5vh, var(--column) / ${(0.6 * (text.length + 2)).toFixed(1)}))`,
        fontWeight: 700,
        lineHeight: 1.2,
        textAlign: 'center',
        textWrap: 'balance',
      }}
    >
      {text}
    </p>
  );
}
