import { expect, test } from 'vitest';
import { freePort } from '../../../testing/server/free-port.ts';
import { processesNaming } from '../../../testing/server/program.ts';
import { type ServiceProcess, startService } from './service-process.ts';

const LISTEN = `require('node:http').createServer((_, answer) => answer.end()).listen(process.argv[1], '127.0.0.1');`;
const DEAF = `process.on('SIGTERM', () => {});`;

async function start(script: string, signal = new AbortController().signal): Promise<ServiceProcess> {
  const port = await freePort();
  return startService({
    name: 'The service',
    command: [process.execPath, '-e', script, String(port)],
    url: `http://127.0.0.1:${port}/`,
    stopSignal: 'SIGTERM',
    signal,
  });
}

test('a service is ready once it answers, and gone once it is stopped, even if it does not listen', async () => {
  const script = `/* ${crypto.randomUUID()} */ ${DEAF} ${LISTEN}`;
  const service = await start(script);
  expect(processesNaming(script)).toHaveLength(1);
  await service.stop();
  expect(processesNaming(script)).toEqual([]);
  await service.stop();
});

test('one that ends instead of starting is reported with what it wrote', async () => {
  await expect(start(`console.log('no such option'); process.exit(1);`)).rejects.toThrow(
    'The service ended instead of starting:\nno such option',
  );
});

test('a start that is given up leaves nothing running', async () => {
  const script = `/* ${crypto.randomUUID()} */ setInterval(() => {}, 1_000);`;
  const stopping = new AbortController();
  const starting = start(script, stopping.signal);
  stopping.abort(new Error('Ctrl-C'));
  await expect(starting).rejects.toThrow('Ctrl-C');
  expect(processesNaming(script)).toEqual([]);
});
