import type { Fleet } from './fleet.ts';

/** What runs where, and how to kill what. */
export async function describeFleet(fleet: Fleet, boardUrl: string, balancer: string): Promise<string> {
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
  The board:  ${boardUrl}  (${balancer})
  Logs:       ${logFolder}

  ${'what'.padEnd(20)}${'process'.padEnd(10)}where
${rows.join('\n')}

  Kill any of them; no page may show a wrong number as live, or take longer than 3 s to be live again:

  kill -9 PROCESS       a NATS server, counter, edge or nginx: it is started again after 2 s, as by systemd
  kill -STOP PROCESS    it stands still; kill -CONT PROCESS, and it goes on
  kill -QUIT ${String(databases[0]?.[1] ?? 'PROCESS').padEnd(11)}the primary: the pages say that they are out of date, until
                        the standby is promoted:
    ${standby?.command('promote')}
                        and then the old primary comes back beside it, with what nobody may count any more:
    ${primary?.command('start')}

  Ctrl-C stops everything.
`;
}
