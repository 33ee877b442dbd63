import { BlockList, isIP } from 'node:net';

/** Whose URL it is that messages are posted to. */
export interface WebhookTarget {
  readonly url: string;
  /** Signs each message. */
  readonly key: Buffer;
}

const THIS_MACHINE = new BlockList();
THIS_MACHINE.addSubnet('127.0.0.0', 8, 'ipv4');
THIS_MACHINE.addAddress('::1', 'ipv6');
// As where to, these are this machine, too.
THIS_MACHINE.addAddress('0.0.0.0', 'ipv4');
THIS_MACHINE.addAddress('::', 'ipv6');

/** Whether a name or an address is this machine alone; names are not looked up. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host === 'localhost' || host.endsWith('.localhost');
  return THIS_MACHINE.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/** Whether anybody on the way can read what is posted there. */
export function isReadOnTheWay({ url }: WebhookTarget): boolean {
  const parsed = new URL(url);
  return parsed.protocol === 'http:' && !isLoopback(hostOf(parsed));
}

/** A name or an address, without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
