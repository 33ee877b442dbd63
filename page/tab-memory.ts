/** Keeps the builds and events for which this tab has reloaded itself. */
export interface TabMemory {
  readonly has: (id: string) => boolean;
  readonly add: (id: string) => void;
  readonly remove: (id: string) => void;
}

const KEY = 'triagem.reloaded-for';

/**
 * Opens a memory that lasts as long as the tab. Where the browser keeps none, every id counts as remembered: an old version
 * is better than a page that reloads itself for ever.
 */
export function openTabMemory(storage: () => Pick<Storage, 'getItem' | 'setItem'>): TabMemory {
  const read = () => storage().getItem(KEY)?.split('\n') ?? [];
  const write = (ids: readonly string[]) => storage().setItem(KEY, ids.join('\n'));
  try {
    write(read());
  } catch {
    return { has: () => true, add: () => {}, remove: () => {} };
  }
  return {
    has: (id) => read().includes(id),
    add: (id) => write([...read(), id]),
    remove: (id) => write(read().filter((other) => other !== id)),
  };
}
