import { openServerClient } from '../../testing/firestore/server-client.ts';
import { serveRpc } from '../../testing/server/rpc.ts';
import { openEventStream } from '../contenders/event-stream.ts';
import { usedMb } from './memory-used.ts';
import { EVENT_PATH, PROJECT } from './sale.ts';

/**
 * An afternoon's board: one listener of Google's server library on the whole collection, and the newest counts to every
 * client. It remembers the sector of each ticket that has entered, and looks at changes alone.
 */

serveRpc({
  usedMb,
  async listen(host: string): Promise<number> {
    const sectors: Record<string, number> = {};
    const sectorOf = new Map<string, string>();
    const stream = await openEventStream(sectors);
    const add = (sector: string | undefined, by: number): void => {
      if (sector !== undefined) sectors[sector] = (sectors[sector] ?? 0) + by;
    };
    await new Promise<void>((resolve, reject) => {
      openServerClient(host, PROJECT)
        .collection(`${EVENT_PATH}/tickets`)
        .onSnapshot((snapshot) => {
          for (const { type, doc } of snapshot.docChanges()) {
            const before = sectorOf.get(doc.id);
            const { entrou, setor } = doc.data() as { readonly entrou?: unknown; readonly setor?: unknown };
            const after = type !== 'removed' && entrou === true ? String(setor) : undefined;
            if (before === after) continue;
            add(before, -1);
            add(after, 1);
            if (after === undefined) sectorOf.delete(doc.id);
            else sectorOf.set(doc.id, after);
          }
          stream.send(sectors);
          resolve();
        }, reject);
    });
    return stream.port;
  },
});
