/** What this tab remembers; it outlives the reload. */
export interface TabMemory {
  /** What it has reloaded itself for, builds and events. */
  readonly has: (id: string) => boolean;
  readonly add: (id: string) => void;
  readonly remove: (id: string) => void;
  /** The highest timeline that it has shown. */
  readonly readSeen: () => string | undefined;
  readonly keepSeen: (timeline: string) => void;
}

const KEY = 'triagem.reloaded-for';
const SEEN_KEY = 'triagem.seen-timeline';

/**
 * Memory that lasts as long as the tab. Where the browser keeps none, it counts as having reloaded
 * itself for everything, as an old version is better than a page that reloads itself for ever, and as having seen nothing.
 */
export function openTabMemory(storage: () => Pick<Storage, 'getItem' | 'setItem'>): TabMemory {
  const read = () => storage().getItem(KEY)?.split('\n') ?? [];
  const write = (ids: readonly string[]) => storage().setItem(KEY, ids.join('\n'));
  try {
    write(read());
  } catch {
    return {
      has: () => true,
      add: () => {},
      remove: () => {},
      readSeen: () => undefined,
      keepSeen: () => {},
    };
  }
  return {
    has: (id) => read().includes(id),
    add: (id) => write([...read(), id]),
    remove: (id) => write(read().filter((other) => other !== id)),
    readSeen: () => storage().getItem(SEEN_KEY) ?? undefined,
    keepSeen: (timeline) => storage().setItem(SEEN_KEY, timeline),
  };
}
