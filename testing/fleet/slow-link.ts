import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { closeOnce } from '../close-once.ts';
import { endingWithUs } from '../../tools/demo/ending-with-us.ts';

/**
 * Joins two bridges by a link that is slow and loses frames, where the kernel has no netem: each end is a TAP device whose
 * frames socat passes on as datagrams, and slow-link.mjs delays or drops them. It ends with the test.
 */
export async function startSlowLink(bridges: readonly [string, string]): Promise<true> {
  const relay = fork(new URL('slow-link.mjs', import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  closeOnce(() => relay.kill('SIGKILL'));
  const [ports] = (await once(relay, 'message')) as [readonly { relay: number; socat: number }[]];
  for (const [index, bridge] of bridges.entries()) {
    const { relay: to, socat } = ports[index] ?? {};
    const device = `t${bridge}`;
    const tap = `TUN,tun-type=tap,iff-no-pi,tun-name=${device}`;
    const [program, ...args] = [
      ...endingWithUs(),
      'socat',
      tap,
      `UDP4:127.0.0.1:${to},bind=127.0.0.1:${socat}`,
    ];
    const end = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    closeOnce(() => end.kill('SIGKILL'));
    while (!existsSync(`/sys/class/net/${device}`)) await pause(20);
    const joined = spawn('ip', ['link', 'set', device, 'master', bridge, 'up'], { stdio: 'inherit' });
    await once(joined, 'exit');
  }
  return true;
}
