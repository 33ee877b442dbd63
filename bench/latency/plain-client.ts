import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from '../benchmark.ts';
import type { Contender } from '../contenders/contender.ts';
import { startProgram } from '../support/child-program.ts';
import type { Delivery, Opening } from '../support/clients-process.ts';
import type { Holder } from './holder.ts';

const LOOK_EVERY_MS = 20;
const LIMIT_MS = 20_000;

/** A client in a process of its own: a socket, and a search for the total in what it brings. */
export async function openPlainClient(scope: Scope, { port, request }: Contender): Promise<Holder> {
  const { call } = startProgram(scope, '../support/clients-process.js');
  await call('open', { port, request, count: 1, sampleEvery: 1 } satisfies Opening);
  const newest = async (): ReturnType<Holder['newest']> => {
    const [, data = ''] = /^data: (.*)$/m.exec(await call<string>('newestEvent')) ?? [];
    return JSON.parse(data) as Awaited<ReturnType<Holder['newest']>>;
  };
  return {
    async arrivalsUpTo(total) {
      const giveUpAtMs = performance.now() + LIMIT_MS;
      while ((await newest()).total < total) {
        if (performance.now() > giveUpAtMs) throw new Error(`the total ${total} did not come in 20 s`);
        await sleep(LOOK_EVERY_MS, undefined, { signal: scope.signal });
      }
      return call<Delivery[]>('takeDeliveries');
    },
    bytes: () => call<number>('bytes'),
    // One machine's clock, in both processes.
    clockAheadMs: async () => 0,
    newest,
  };
}
