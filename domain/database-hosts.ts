/** A connection string of libpq, split at its hosts. */
interface Parts {
  /** Protocol, user and password, up to the first host. */
  readonly before: string;
  /** Each with its port, if it has one. */
  readonly hosts: readonly string[];
  readonly path: string;
  /** The parameters of the query, encoded. */
  readonly parameters: readonly string[];
}

/** Parameters that choose among hosts: they are left out of a string with one host. */
const ABOUT_HOSTS: ReadonlySet<string> = new Set(['port', 'target_session_attrs', 'load_balance_hosts']);

/**
 * Returns a connection string for each host that `url` names, in its order. `h1,h2/db?port=5433` has one port for all; a host
 * without any has PostgreSQL's default.
 */
export function hostUrls(url: string): readonly string[] {
  const parts = takeApart(url);
  if (!parts) return [url];
  const { before, hosts, path, parameters } = parts;
  const kept = parameters.filter((parameter) => !ABOUT_HOSTS.has(nameOf(parameter)));
  const query = kept.length > 0 ? `?${kept.join('&')}` : '';
  const port = parameterOf(parts, 'port');
  const shared = port === undefined ? '' : `:${port}`;
  return hosts.map((host) => `${before}${host}${hasPort(host) ? '' : shared}${path}${query}`);
}

/** Returns host and port of a connection string with one host: `h1:5432`. */
export function hostOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port === '' ? 5432 : port}`;
}

/**
 * Returns host and port of a connection string with one host, as options of the `postgres` library, which would otherwise
 * split an IPv6 address at its colons.
 */
export function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  const address = { host: [hostname.replace(/^\[(.*)\]$/, '$1')], port: [Number(port === '' ? 5432 : port)] };
  // The library accepts lists, which its types lack, and leaves them unchanged.
  return address as unknown as { host: string; port: number };
}

/** Returns what is wrong with the hosts of a connection string, to follow its setting's name; undefined: nothing. */
export function hostsProblem(url: string): string | undefined {
  const parts = takeApart(url);
  if (!parts) return undefined;
  const { hosts } = parts;
  const port = parameterOf(parts, 'port');
  if (port !== undefined && (!/^\d+$/.test(port) || hosts.some(hasPort)))
    return 'has its port after the question mark: one number there is that of all hosts, and else each has its own behind it';
  if (hosts.length > 1) {
    const urls = hostUrls(url);
    const wrong = hosts.findIndex((host, index) => host === '' || !URL.canParse(urls[index] ?? ''));
    if (wrong >= 0)
      return `has no host in place ${wrong + 1} of its ${hosts.length}: write them as host1:5432,host2:5432,[::1]:5432`;
  }
  const target = parameterOf(parts, 'target_session_attrs');
  if (target !== undefined && !['any', 'primary', 'read-write'].includes(target))
    return 'sets target_session_attrs to what leads to standbys: leave it out, the primary is found by itself';
  return undefined;
}

function takeApart(url: string): Parts | undefined {
  const found = /^(postgres(?:ql)?:\/\/)([^/?#]*)([^?#]*)(?:\?([^#]*))?$/s.exec(url);
  if (!found) return undefined;
  const [, protocol = '', authority = '', path = '', query = ''] = found;
  const hostsAt = authority.lastIndexOf('@') + 1;
  return {
    before: protocol + authority.slice(0, hostsAt),
    hosts: authority.slice(hostsAt).split(','),
    path,
    parameters: query.split('&').filter((parameter) => parameter !== ''),
  };
}

function hasPort(host: string): boolean {
  // The colons of an IPv6 address do not count.
  return /:\d+$/.test(host.replace(/^\[.*\]/, ''));
}

function parameterOf({ parameters }: Parts, name: string): string | undefined {
  return parameters.find((parameter) => nameOf(parameter) === name)?.slice(name.length + 1);
}

function nameOf(parameter: string): string {
  return parameter.split('=')[0] ?? '';
}
