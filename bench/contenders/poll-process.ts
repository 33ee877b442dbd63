import postgres from 'postgres';
import { serveRpc } from '../../testing/server/rpc.ts';
import { countBySector, openEventStream } from './event-stream.ts';

/** An afternoon's board, without a trigger: all is counted again every so many milliseconds. */

const everyMs = Number(process.argv[2]);

serveRpc({
  async listen(url: string): Promise<number> {
    const sql = postgres(url, { max: 1 });
    const stream = await openEventStream(await countBySector(sql));
    let isCounting = false;
    setInterval(async () => {
      if (isCounting) return;
      isCounting = true;
      stream.send(await countBySector(sql));
      isCounting = false;
    }, everyMs);
    return stream.port;
  },
});
