import type { Fleet } from './fleet.ts';

interface Addresses {
  readonly boardUrl: string;
  readonly desk: { readonly link: string; readonly key: string };
}

export async function describeFleet(fleet: Fleet, { boardUrl, desk }: Addresses): Promise<string> {
  const { pair, members, logFolder } = fleet;
  const databases = await Promise.all(
    pair.members.map(
      async (member) => [member.name, await member.pid(), `127.0.0.1:${member.port}`] as const,
    ),
  );
  const others = members.map(({ process, url }) => [process.name, process.pid, url ?? boardUrl] as const);
  const rows = [...databases, ...others].map(([name, pid, where]) => {
    const readyz = /^(counter|edge)/.test(name) ? '/readyz' : '';
    return `  ${name.padEnd(20)}${String(pid ?? '-').padEnd(10)}${where}${readyz}`;
  });
  const [primary, standby] = pair.members;
  return `
  The board:  ${boardUrl}  (nginx before two edges)
  The desk:   ${desk.link}
  Desk key:   ${desk.key}
  Logs:       ${logFolder}

  ${'what'.padEnd(20)}${'process'.padEnd(10)}where
${rows.join('\n')}

  Kill any of them; no page may show a wrong number as live, or take longer than 3 s to be live again:

  kill -9 PROCESS       a NATS server, counter or edge: it is started again after 2 s, as by systemd; nginx at once
  kill -STOP PROCESS    a NATS server, counter or edge stands still; kill -CONT PROCESS, and it goes on
  kill -QUIT ${String(databases[0]?.[1] ?? 'PROCESS').padEnd(11)}the primary: the pages say that they are out of date, until
                        the standby is promoted:
    ${standby?.command('promote')}
                        the spectators, who waited, go on at the new primary, and the desk's record with them. And then
                        the old primary comes back beside it, with what nobody may count any more:
    ${primary?.command('start')}
  kill -QUIT ${String(databases[1]?.[1] ?? 'PROCESS').padEnd(11)}the standby: no page notices, but without it nobody can be
                        promoted. It comes back with
    ${standby?.command('start')}

  Ctrl-C stops everything.
`;
}
