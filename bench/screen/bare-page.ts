import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scope } from '../benchmark.ts';

const ROWS = 13;
/** As long as a frame of counts. */
const FRAME = `${'x'.repeat(238)}\n\n`;

const PAGE = `<!doctype html>
<style>
  body { margin: 0; background: #0b110f; color: #f0f4f1; font: 700 19vh / 1 sans-serif; }
  td { font-size: 3.65vh; }
</style>
<div id="total">20.000</div>
<table>${'<tr><td>Setor<td>1.538'.repeat(ROWS)}</table>
<script type="module">
  const cells = document.querySelectorAll('td:last-child');
  const reader = (await fetch('/stream')).body.getReader();
  for (let frame = 0; !(await reader.read()).done; frame += 1) {
    document.getElementById('total').firstChild.data = (20000 + frame).toLocaleString('pt-BR');
    cells[frame % ${ROWS}].firstChild.data = (1538 + frame).toLocaleString('pt-BR');
  }
</script>`;

/**
 * The least that a screen can cost in this browser: a page that reads a stream and, for each frame, changes two texts of
 * the board's size. No framework, no rules, no colours.
 */
export async function startBarePage({ stops }: Scope) {
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    if (request.url !== '/stream') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    streams.add(response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sendFrame() {
      for (const stream of streams) stream.write(FRAME);
    },
  };
}
