import { KnownTimelines } from './known-timelines.ts';

/** What one look at a host of a connection string has found. */
export type HostReport = ServerReport | AwayReport;

export interface ServerReport {
  readonly kind: 'primary' | 'standby';
  /** With its port. */
  readonly host: string;
  /** Made with the database cluster: a standby has that of its primary. */
  readonly systemId: string;
  /** Grows with every promotion, and with every return to a former primary; of a standby, at least this one. */
  readonly timeline: number;
  /** When the server was started: the same under each of its names. */
  readonly startedAt: string;
}

/** It does not answer, or refuses. */
interface AwayReport {
  readonly kind: 'away';
  readonly host: string;
  readonly reason: string;
  /** Whether it may come by itself. */
  readonly shouldRetry: boolean;
}

/** Why there is no primary to use: cause and fix, which stand behind the name of a setting. */
export interface NoPrimary {
  readonly cause: string;
  readonly fix: string;
  /** Whether it may pass by itself. Where not, somebody has to change something first. */
  readonly shouldRetry: boolean;
  /** A standby is there, which may be promoted at any moment. */
  readonly awaitsPromotion: boolean;
}

const START_FIX = 'start PostgreSQL, or correct hosts and ports';
const PROMOTE_FIX = 'promote a standby, or name the primary, too';
const BACK_FIX = 'start the host that leads, or go back to the former one on purpose: `npm run return`';

interface ChoiceOptions {
  readonly followed?: string | undefined;
  readonly heard?: KnownTimelines;
}

/**
 * The one primary that counts. Of one system, the highest timeline that any host knows of retires the lower ones: an old
 * primary that is still up counts for nobody. `followed`: the system identifier of what was used before; another system
 * is taken for it only where no host is of that one, and all have answered. `heard`: from earlier reports; these are noted
 * there.
 */
export function choosePrimary(
  reports: readonly HostReport[],
  { followed, heard = new KnownTimelines() }: ChoiceOptions = {},
): { readonly primary: ServerReport } | NoPrimary {
  const servers = reports.filter(isServer);
  const problem = (cause: string, fix: string, shouldRetry: boolean): NoPrimary => ({
    cause,
    fix,
    shouldRetry,
    awaitsPromotion: servers.some(({ kind }) => kind === 'standby'),
  });
  const mayChange = reports.some((report) => report.kind === 'away' && report.shouldRetry);
  const isKnown = servers.some(({ systemId }) => systemId === followed);
  const systems = new Set(servers.map(({ systemId }) => systemId));
  if (!isKnown && systems.size > 1) {
    const whose = list(servers.map(({ host, systemId }) => `${host} has the system identifier ${systemId}`));
    return problem(
      `names hosts of different databases (${whose})`,
      'name one primary and its standbys',
      false,
    );
  }
  if (!isKnown && followed !== undefined && servers.length > 0 && servers.length < reports.length) {
    return problem(
      `leads to another database than before: ${list(reports.map((report) => describe(report)))}`,
      'start the hosts that are missing, or restart Triagem to take this one',
      true,
    );
  }
  const ours = isKnown ? servers.filter(({ systemId }) => systemId === followed) : servers;
  for (const server of ours) heard.note(server);
  const leading = ours.filter((server) => server.kind === 'primary' && !heard.isFormer(server));
  const [primary] = leading;
  if (primary === undefined) {
    const are = list(reports.map((report) => describe(report, heard)));
    const hasStandby = ours.some(({ kind }) => kind === 'standby');
    const fix = servers.length === 0 ? START_FIX : hasStandby ? PROMOTE_FIX : BACK_FIX;
    return problem(`names no host that is the primary: ${are}`, fix, mayChange);
  }
  if (leading.some(({ startedAt }) => startedAt !== primary.startedAt)) {
    const them = list(leading.map(({ host }) => host));
    return problem(`names two primaries of one timeline: ${them}`, 'stop the one that is not to count', true);
  }
  return { primary };
}

/** The host that knows of a later timeline than a primary that is in use, if there is one. */
export function findRetiring(
  reports: readonly HostReport[],
  { systemId, timeline }: Pick<ServerReport, 'systemId' | 'timeline'>,
): ServerReport | undefined {
  return reports
    .filter(isServer)
    .find((server) => server.systemId === systemId && server.timeline > timeline);
}

/** What is wrong with the other hosts while one is in use; undefined: nothing. */
export function describeOthers(reports: readonly HostReport[], primary: ServerReport): string | undefined {
  const wrong = reports.flatMap((report) => {
    const { host } = report;
    if (report.kind === 'away') return [describe(report)];
    if (report.systemId !== primary.systemId) return [`${host} is another database, which is not used`];
    if (report.kind === 'standby' || report.startedAt === primary.startedAt) return [];
    return report.timeline < primary.timeline
      ? [`${host} is a former primary, which is not used: make it a standby, or stop it`]
      : [`${host} is a primary of the same timeline as ${primary.host}: stop the one that is not to count`];
  });
  return wrong.length > 0 ? list(wrong) : undefined;
}

function describe(report: HostReport, heard?: KnownTimelines): string {
  const { host, kind } = report;
  if (kind === 'away') return `${host} ${report.reason}`;
  if (kind === 'standby') return `${host} is a standby`;
  return `${host} is a ${heard?.isFormer(report) ? 'former ' : ''}primary`;
}

function isServer(report: HostReport): report is ServerReport {
  return report.kind !== 'away';
}

function list(parts: readonly string[]): string {
  return parts.join('; ');
}
