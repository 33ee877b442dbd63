import postgres from 'postgres';
import { serveRpc } from '../../testing/server/rpc.ts';
import { countBySector, openEventStream } from './event-stream.ts';

/** An afternoon's board: a trigger tells that something has changed, and all is counted again, one count at a time. */

serveRpc({
  async listen(url: string): Promise<number> {
    const sql = postgres(url, { max: 1 });
    const stream = await openEventStream(await countBySector(sql));
    let [isCounting, hasChanged] = [false, false];
    const onChange = async (): Promise<void> => {
      hasChanged = true;
      if (isCounting) return;
      isCounting = true;
      while (hasChanged) {
        hasChanged = false;
        stream.send(await countBySector(sql));
      }
      isCounting = false;
    };
    await sql.listen('tickets_changed', onChange, onChange);
    return stream.port;
  },
});
