import { isIP } from 'node:net';

const NAMED_RANGES: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** Reads TRUST_PROXY, in Fastify's form. @throws RangeError, whose message says what to give */
export function readTrustedProxies(value = 'false'): boolean | string {
  if (value === 'true' || value === 'false') return value === 'true';
  if (value.split(',').every((part) => isAddressOrRange(part.trim()))) return value;
  throw new RangeError(
    `TRUST_PROXY is "${value}": give the proxy's addresses or ranges with commas between them, as ` +
      '127.0.0.1,10.0.0.0/8, or loopback, linklocal, uniquelocal; or true or false',
  );
}

/** A number of hops is refused: "1" would be read as the address 0.0.0.1. */
function isAddressOrRange(text: string): boolean {
  if (NAMED_RANGES.has(text)) return true;
  const [address = '', bits = '1', ...rest] = text.split('/');
  const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  return rest.length === 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most;
}
