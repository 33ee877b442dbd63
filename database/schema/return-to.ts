import { hostOf, hostUrls } from '../../domain/database-hosts.ts';
import { HOST_SQL, type HostAnswer, readHostAnswer } from '../primary/host-answer.ts';
import type { HostReport, ServerReport } from '../primary/primary-choice.ts';
import {
  describeTimeline,
  formatReturned,
  RETURNED_TABLE,
  type ReturnedPrimary,
  splitTimeline,
} from '../../domain/returned-primary.ts';
import { connectionFault, nameOf, type ServerPlace, setupError, standbyFault } from '../connection-fault.ts';
import { DatabaseSetupError, errorCode } from '../setup-error.ts';
import { quoteLiteral, withConnection } from '../with-connection.ts';
import { HostProbe } from '../primary/host-probe.ts';

export interface ReturnOptions {
  /** The owner's connection string; it may name several hosts. */
  readonly ownerUrl: string;
  /** Where it stands, for messages. */
  readonly place: ServerPlace;
  /** The host to go back to, in the form of `hostOf`; `undefined`: the only one. */
  readonly host: string | undefined;
  /** The operator's name. */
  readonly by: string;
  readonly now: () => number;
  /** Called with the consequences before anything is changed; nothing changes where it rejects. */
  readonly confirm: (question: string) => Promise<void>;
  readonly log: (line: string) => void;
}

/**
 * Goes back to a former primary. It ranks above all timelines of the hosts that answer and, by the clock, above each earlier
 * return to a host that does not, or is not named. Its observers notice within seconds.
 *
 * @throws DatabaseSetupError
 */
export async function returnTo(options: ReturnOptions): Promise<void> {
  const { ownerUrl, place, host, by, now, confirm, log } = options;
  const urls = hostUrls(ownerUrl);
  const url = host === undefined && urls.length === 1 ? urls[0] : urls.find((each) => hostOf(each) === host);
  if (url === undefined) {
    throw new DatabaseSetupError(
      `${nameOf(place)} names ${urls.map((each) => hostOf(each)).join(', ')}.`,
      'Say which of them is to count again, with its port.',
    );
  }
  const look = (): Promise<HostReport[]> =>
    Promise.all(urls.filter((each) => each !== url).map((each) => lookAt(each, place)));
  const { server, others, rival } = await withConnection(url, async (sql) => {
    const [answer] = await sql.unsafe<[HostAnswer]>(HOST_SQL);
    const found = readHostAnswer(hostOf(url), answer);
    if (found.kind === 'standby') throw setupError(standbyFault(place));
    await confirm(questionOf(found, await look()));
    const before = await look();
    const ranks = [found, ...before.filter((report) => isOf(report, found))].map(rankOf);
    const atMs = now();
    const rank = Math.max(Math.floor(atMs / 1_000), ...ranks.map((known) => known + 1));
    const returned: ReturnedPrimary = { rank, by, atMs };
    await sql.unsafe(`COMMENT ON TABLE ${RETURNED_TABLE} IS ${quoteLiteral(formatReturned(returned))}`);
    const after = await look();
    return {
      server: found,
      others: after,
      rival: after.find(
        (report) => isOf(report, found) && report.kind === 'primary' && rankOf(report) >= rank,
      ),
    };
  }).catch((error: unknown) => {
    throw explain(error, place);
  });
  if (rival) {
    throw new DatabaseSetupError(
      `Somebody has gone back to ${rival.host} at the same time, so that it is open which of the two counts.`,
      'Agree on one of them, and go back to it once more.',
    );
  }
  log(`${server.host} counts again, on timeline ${describeTimeline(server.timeline)}: by ${by}.`);
  for (const report of others) log(describeOther(report, server));
}

async function lookAt(url: string, place: ServerPlace): Promise<HostReport> {
  const probe = new HostProbe(url, place);
  try {
    return await probe.look();
  } finally {
    await probe.end();
  }
}

function rankOf({ timeline }: ServerReport): number {
  return splitTimeline(timeline).rank;
}

function isOf(report: HostReport, { systemId }: ServerReport): report is ServerReport {
  return report.kind !== 'unavailable' && report.systemId === systemId;
}

function questionOf(server: ServerReport, others: readonly HostReport[]): string {
  const retired = others.filter((report) => isOf(report, server) && report.kind === 'primary');
  const losers = retired.length > 0 ? retired.map(({ host }) => host).join(', ') : 'another primary';
  return `Go back to ${server.host}, on timeline ${describeTimeline(server.timeline)}? What only ${losers} has is gone from every screen.`;
}

function describeOther(report: HostReport, server: ServerReport): string {
  if (report.kind === 'unavailable') {
    return `${report.host} ${report.reason}: keep it off, or make it a standby of ${server.host}.`;
  }
  if (report.systemId !== server.systemId) return `${report.host} is another database.`;
  if (report.kind === 'standby') return `${report.host} is a standby.`;
  return `${report.host} is a primary on timeline ${describeTimeline(report.timeline)}, and counts no longer: stop it, or make it a standby of ${server.host}.`;
}

function explain(error: unknown, place: ServerPlace): unknown {
  if (errorCode(error) === '42P01') {
    return new DatabaseSetupError(
      'The database is not prepared for Triagem.',
      'Name the one that is observed, or run `npm run migrate`.',
      { cause: error },
    );
  }
  if (errorCode(error) === '42501') {
    return new DatabaseSetupError(
      `The user of ${nameOf(place)} does not own ${RETURNED_TABLE}.`,
      'Let it name the owner, or a superuser.',
      { cause: error },
    );
  }
  const fault = connectionFault(error, place);
  return fault ? setupError(fault, error) : error;
}
