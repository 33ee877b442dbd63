/** What is wrong with the connection string of a setting, and its fix, after the setting's name; undefined: nothing. */
export function connectionStringProblem(text: string): string | undefined {
  const form = 'write postgres://user:password@host:5432/database';
  const authority = /^postgres(?:ql)?:\/\/([^/?#]*)/.exec(text)?.[1] ?? '';
  // As libpq writes them: in their place, after the question mark, or as a keyword.
  const hosts =
    /\bhost(?:addr)?\s*=\s*([^\s&]*,[^\s&]*)/.exec(text)?.[1] ??
    authority.slice(authority.lastIndexOf('@') + 1);
  if (hosts.includes(',')) {
    return `names several hosts (${hosts}): name one, the primary, by a name or address that a failover moves`;
  }
  if (!URL.canParse(text)) return `is no connection string: ${form}`;
  const { protocol, hostname, pathname, username, password, searchParams } = new URL(text);
  const misplaced = ['host', 'hostaddr', 'port'].find((name) => searchParams.has(name));
  if (misplaced !== undefined) return `has its ${misplaced} after the question mark: ${form}`;
  if (searchParams.has('search_path')) return 'sets search_path: leave it out, Triagem sets its own';
  const isWhole = /^postgres(ql)?:$/.test(protocol) && hostname !== '' && pathname.length > 1;
  const isReadable = [username, password, pathname].every(canDecode);
  return isWhole && isReadable ? undefined : `is no connection string: ${form}`;
}

function canDecode(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
