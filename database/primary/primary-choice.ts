import { KnownTimelines } from '../../domain/known-timelines.ts';

/** The state of one host of a connection string. */
export type HostReport = ServerReport | UnavailableReport;

export interface ServerReport {
  readonly kind: 'primary' | 'standby';
  /** `host:port`. */
  readonly host: string;
  /** The system identifier of the database cluster: a standby has that of its primary. */
  readonly systemId: string;
  /** It grows with every promotion, and with every return to a former primary; a standby's is at least this one. */
  readonly timeline: number;
  /** The start of the server: the same under each of its names. */
  readonly startedAt: string;
}

/** A host that does not answer, or refuses. */
interface UnavailableReport {
  readonly kind: 'unavailable';
  readonly host: string;
  readonly reason: string;
  /** Whether it may become available by itself. */
  readonly shouldRetry: boolean;
}

/** Why there is no primary to use: cause and fix, to follow the name of a setting. */
export interface NoPrimary {
  readonly cause: string;
  readonly fix: string;
  /** Whether the cause may go by itself. */
  readonly shouldRetry: boolean;
  /** A standby is there, which may be promoted at any moment. */
  readonly awaitsPromotion: boolean;
}

const START_FIX = 'start PostgreSQL, or correct hosts and ports';
const PROMOTE_FIX = 'promote a standby, or name the primary, too';
const BACK_FIX = 'start the host that leads, or go back to the former one on purpose: `npm run return`';

interface ChoiceOptions {
  readonly followed?: string | undefined;
  readonly known?: KnownTimelines;
}

/**
 * Chooses the primary to follow. In one system, the highest timeline that any host knows of retires the lower ones: an old
 * primary that is still running is not followed. `followed` is the system identifier of the one before; another system is
 * chosen only where no host is of that one, and all have answered. `known` holds the timelines of earlier reports; those of
 * these reports are added.
 */
export function choosePrimary(
  reports: readonly HostReport[],
  { followed, known = new KnownTimelines() }: ChoiceOptions = {},
): { readonly primary: ServerReport } | NoPrimary {
  const servers = reports.filter(isServer);
  const problem = (cause: string, fix: string, shouldRetry: boolean): NoPrimary => ({
    cause,
    fix,
    shouldRetry,
    awaitsPromotion: servers.some(({ kind }) => kind === 'standby'),
  });
  const mayChange = reports.some((report) => report.kind === 'unavailable' && report.shouldRetry);
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
  for (const server of ours) known.note(server);
  const leading = ours.filter((server) => server.kind === 'primary' && !known.isFormer(server));
  const [primary] = leading;
  if (primary === undefined) {
    const are = list(reports.map((report) => describe(report, known)));
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

/** Returns a host that knows of a later timeline than the followed primary, if there is one. */
export function findRetiring(
  reports: readonly HostReport[],
  { systemId, timeline }: Pick<ServerReport, 'systemId' | 'timeline'>,
): ServerReport | undefined {
  return reports
    .filter(isServer)
    .find((server) => server.systemId === systemId && server.timeline > timeline);
}

/** Returns what is wrong with the hosts other than the followed primary; undefined: nothing. */
export function describeOthers(reports: readonly HostReport[], primary: ServerReport): string | undefined {
  const wrong = reports.flatMap((report) => {
    const { host } = report;
    // Its last answer may be older than what is observed of it.
    if (host === primary.host) return [];
    if (report.kind === 'unavailable') return [describe(report)];
    if (report.systemId !== primary.systemId) return [`${host} is another database, which is not used`];
    if (report.kind === 'standby' || report.startedAt === primary.startedAt) return [];
    return report.timeline < primary.timeline
      ? [`${host} is a former primary, which is not used: make it a standby, or stop it`]
      : [`${host} is a primary of the same timeline as ${primary.host}: stop the one that is not to count`];
  });
  return wrong.length > 0 ? list(wrong) : undefined;
}

function describe(report: HostReport, known?: KnownTimelines): string {
  const { host, kind } = report;
  if (kind === 'unavailable') return `${host} ${report.reason}`;
  if (kind === 'standby') return `${host} is a standby`;
  return `${host} is a ${known?.isFormer(report) ? 'former ' : ''}primary`;
}

function isServer(report: HostReport): report is ServerReport {
  return report.kind !== 'unavailable';
}

function list(parts: readonly string[]): string {
  return parts.join('; ');
}
