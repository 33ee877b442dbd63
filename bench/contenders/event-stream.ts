import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type postgres from 'postgres';

/** Admissions by sector. */
export type SectorCounts = Readonly<Record<string, number>>;

/** What they all count by, once or again and again. */
export async function countBySector(sql: postgres.Sql): Promise<SectorCounts> {
  const rows = await sql<{ setor: string; admitted: number }[]>`
    select setor, count(*)::int as admitted from tickets where entrou group by setor`;
  return Object.fromEntries(rows.map(({ setor, admitted }) => [setor, admitted]));
}

/** A web server whose every answer is the stream of the newest counts, as server-sent events. */
export async function openEventStream(first: SectorCounts) {
  const responses = new Set<ServerResponse>();
  let newest = textOf(first);
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(newest);
    responses.add(response);
    response.on('close', () => responses.delete(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Sends them to everybody, if they are others than the last. */
    send(sectors: SectorCounts): void {
      const text = textOf(sectors);
      if (text === newest) return;
      newest = text;
      for (const response of responses) response.write(newest);
    },
  };
}

function textOf(sectors: SectorCounts): string {
  const total = Object.values(sectors).reduce((sum, count) => sum + count, 0);
  return `event: counts\ndata: ${JSON.stringify({ total, sectors })}\n\n`;
}
