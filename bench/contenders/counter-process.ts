import postgres from 'postgres';
import { serveRpc } from '../../testing/server/rpc.ts';
import { openEventStream } from './event-stream.ts';

/** An afternoon's board: a trigger keeps a row of counts per sector and tells the new number, and nothing is ever counted. */

serveRpc({
  async listen(url: string): Promise<number> {
    const sql = postgres(url, { max: 1 });
    const sectors: Record<string, number> = {};
    const stream = await openEventStream(sectors);
    const readAll = async (): Promise<void> => {
      const rows = await sql<{ setor: string; admitted: number }[]>`
        select setor, admitted::int as admitted from sector_counters`;
      for (const { setor, admitted } of rows) sectors[setor] = admitted;
      stream.send(sectors);
    };
    const onNumber = (payload: string): void => {
      const [admitted, setor] = JSON.parse(payload) as [number, string];
      sectors[setor] = admitted;
      stream.send(sectors);
    };
    // Also after each lost connection: notifications are not kept.
    await sql.listen('sector_counters', onNumber, () => void readAll());
    await readAll();
    return stream.port;
  },
});
