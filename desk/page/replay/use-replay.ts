import { useMemo } from 'react';
import { loadPart } from '../../../page/lazy-part.ts';
import { createStore } from '../../../page/store.ts';
import { useStore } from '../../../page/use-store.ts';
import type { DeskView } from '../desk-view.ts';
import type { OpenDesk } from '../open-desk.ts';
import type { DeskReplay } from './open-replay.tsx';

/** Its code comes on its own: until it is there, no minute is offered. */
const part = loadPart(async () => (await import('./open-replay.tsx')).openReplay);
const NOT_REPLAYED = createStore<DeskView | null>(null);

/** The recorded minute that is drawn in place of what is now; null: none. */
export function useReplay(desk: OpenDesk): readonly [DeskView | null, DeskReplay | undefined] {
  const open = useStore(part, (loaded) => loaded);
  const replay = useMemo(() => open?.(desk), [open, desk]);
  return [useStore(replay?.view ?? NOT_REPLAYED, (view) => view), replay];
}
