import { useMemo } from 'react';
import { loadPart } from '../../../page/lazy-part.ts';
import { createStore } from '../../../page/store.ts';
import { useStore } from '../../../page/use-store.ts';
import type { DeskView } from '../desk-view.ts';
import type { OpenDesk } from '../open-desk.ts';
import type { DeskReplay } from './open-replay.tsx';

/** The replay starts to load now; until then no minute can be opened. */
const part = loadPart(async () => (await import('./open-replay.tsx')).openReplay);
const NOT_REPLAYED = createStore<DeskView | null>(null);

/** The view of a recorded minute that replaces the live one, if any. */
export function useReplay(desk: OpenDesk): readonly [DeskView | null, DeskReplay | undefined] {
  const open = useStore(part, (loaded) => loaded);
  const replay = useMemo(() => open?.(desk), [open, desk]);
  return [useStore(replay?.view ?? NOT_REPLAYED, (view) => view), replay];
}
