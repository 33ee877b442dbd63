import { BlockList, isIP } from 'node:net';

/** The receiver of messages. */
export interface WebhookTarget {
  readonly url: string;
  /** Signs each message. */
  readonly key: Buffer;
}

const THIS_MACHINE = new BlockList();
THIS_MACHINE.addSubnet('127.0.0.0', 8, 'ipv4');
THIS_MACHINE.addAddress('::1', 'ipv6');
// As destinations these are this machine, too.
THIS_MACHINE.addAddress('0.0.0.0', 'ipv4');
THIS_MACHINE.addAddress('::', 'ipv6');

/** Whether a name or an address is this machine; names are not resolved. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host === 'localhost' || host.endsWith('.localhost');
  return THIS_MACHINE.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/** Whether messages travel unencrypted to another machine. */
export function isReadOnTheWay({ url }: WebhookTarget): boolean {
  const parsed = new URL(url);
  return parsed.protocol === 'http:' && !isLoopback(hostOf(parsed));
}

/** Returns the name or address without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
