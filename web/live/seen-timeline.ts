/** The highest timeline that this tab has shown: it outlives the page's own reload. */
export interface SeenTimeline {
  readonly get: () => string | undefined;
  readonly set: (timeline: string | undefined) => void;
}

const KEY = 'triagem.seen-timeline';

/** Where the browser keeps nothing, a page that is loaded anew has seen nothing. */
export function openSeenTimeline(storage: () => Pick<Storage, 'getItem' | 'setItem'>): SeenTimeline {
  let known: string | undefined;
  try {
    known = storage().getItem(KEY) ?? undefined;
  } catch {}
  return {
    get: () => known,
    set(timeline) {
      if (timeline === undefined || timeline === known) return;
      known = timeline;
      try {
        storage().setItem(KEY, timeline);
      } catch {}
    },
  };
}
