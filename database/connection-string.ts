import { hostsProblem, hostUrls } from '../domain/database-hosts.ts';

/** Returns what is wrong with a setting's connection string, and its fix, to follow the setting's name; undefined: nothing. */
export function connectionStringProblem(text: string): string | undefined {
  const form = 'write postgres://user:password@host:5432/database, several hosts as host1:5432,host2:5432';
  // Otherwise the beginning of a password with a comma and a slash would be taken for hosts, and printed.
  if (/^postgres(?:ql)?:\/\/[^@/?#]*,[^@/?#]*[/?#].*@/s.test(text)) return `is no connection string: ${form}`;
  const problem = hostsProblem(text);
  if (problem !== undefined) return problem;
  const [first = text] = hostUrls(text);
  if (!URL.canParse(first)) return `is no connection string: ${form}`;
  const { protocol, hostname, pathname, username, password, searchParams } = new URL(first);
  const misplaced = ['host', 'hostaddr'].find((name) => searchParams.has(name));
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
