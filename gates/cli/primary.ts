import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { addressOf, hostOf, hostUrls } from '../../domain/database-hosts.ts';
import { HOST_SQL, type HostAnswer, readHostAnswer } from '../../database/primary/host-answer.ts';
import {
  choosePrimary,
  describeOthers,
  findRetiring,
  type HostReport,
} from '../../database/primary/primary-choice.ts';
import { KnownTimelines } from '../../domain/known-timelines.ts';
import type { TargetSetting } from './database-errors.ts';
import { errorMessage, TryAgainError } from './errors.ts';

/** Once the choice is safe, hosts that have not answered get only so long. */
const STRAGGLER_MS = 500;
const CHECK_LIMIT_S = 3;
const WATCH_EVERY_MS = 1_000;

/** The timelines that this process has seen: writes to a former primary would be lost. */
const seen = new KnownTimelines();
/** The timelines of the primaries that it has used. */
const used = new KnownTimelines();

/**
 * Returns the connection string with the primary as its one host. Of several hosts all are asked. A former primary that is
 * still up is never chosen, even while the current one is unavailable; so all answers are awaited, unless a host leads that
 * was promoted since this process used one. With `isTriedAgain` the caller retries, and does not wait for silent hosts
 * while only standbys have answered.
 *
 * @throws TryAgainError where no primary is found.
 */
export async function findPrimaryUrl(
  url: string,
  setting: TargetSetting,
  isTriedAgain: boolean,
): Promise<string> {
  const urls = hostUrls(url);
  const [only = url] = urls;
  if (urls.length <= 1) return only;
  const reports: HostReport[] = urls.map((each) => ({
    kind: 'unavailable',
    host: hostOf(each),
    reason: 'has not answered yet',
    shouldRetry: true,
  }));
  const isEnough = (): boolean =>
    reports.some((report) => report.kind === 'primary' && used.isNewer(report)) ||
    (isTriedAgain &&
      reports.some(({ kind }) => kind === 'standby') &&
      !reports.some(({ kind }) => kind === 'primary'));
  const checks = urls.map(async (each, index) => void (reports[index] = await checkHost(each)));
  const all = Promise.all(checks);
  const enough = new Promise<void>((resolve) => {
    for (const checking of checks) void checking.then(() => isEnough() && resolve());
  });
  // The machine of a dead primary may not answer for long.
  await Promise.race([all, enough.then(() => pause(STRAGGLER_MS))]);
  if (!isEnough()) await all;
  const choice = choosePrimary([...reports], { known: seen });
  if ('cause' in choice) throw new TryAgainError(`${setting} ${choice.cause}: ${choice.fix}.`);
  used.note(choice.primary);
  return urls.find((each) => hostOf(each) === choice.primary.host) ?? only;
}

/**
 * Resolves with true once a host of `address` reports a later timeline than the host at `url`, which is then no longer the
 * primary. Resolves with false once `stop` aborts. `onWarning` is called after each look, with what is wrong with the hosts
 * that answer; undefined: nothing.
 */
export async function untilRetired(
  { url, address }: { readonly url: string; readonly address: string },
  stop: AbortSignal,
  onWarning: (warning: string | undefined) => void = () => {},
): Promise<boolean> {
  const others = hostUrls(address).filter((each) => hostOf(each) !== hostOf(url));
  if (others.length === 0) {
    if (!stop.aborted) await once(stop, 'abort');
    return false;
  }
  const next = (): Promise<unknown> => pause(WATCH_EVERY_MS, undefined, { signal: stop }).catch(() => {});
  let current = await checkHost(url);
  for (; current.kind === 'unavailable' && !stop.aborted; current = await checkHost(url)) await next();
  const answers = new Map<string, HostReport>();
  const watch = async (each: string): Promise<boolean> => {
    while (!stop.aborted) {
      const report = await checkHost(each);
      if (report.kind === 'unavailable') answers.delete(each);
      else answers.set(each, report);
      if (current.kind !== 'unavailable') onWarning(describeOthers([...answers.values()], current));
      const retiring = current.kind === 'unavailable' ? undefined : findRetiring([report], current);
      if (retiring) {
        seen.note(retiring);
        return !stop.aborted;
      }
      await next();
    }
    return false;
  };
  return Promise.race(others.map(watch));
}

async function checkHost(url: string): Promise<HostReport> {
  const host = hostOf(url);
  const sql = postgres(url, {
    ...addressOf(url),
    max: 1,
    connect_timeout: CHECK_LIMIT_S,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'triagem gates' },
  });
  // A host may fall silent after the login.
  const limit = setTimeout(() => void sql.end({ timeout: 0 }), CHECK_LIMIT_S * 1_000);
  try {
    const [answer] = await sql.unsafe<[HostAnswer]>(HOST_SQL);
    return readHostAnswer(host, answer);
  } catch (error) {
    return {
      kind: 'unavailable',
      host,
      reason: `does not answer (${errorMessage(error)})`,
      shouldRetry: true,
    };
  } finally {
    clearTimeout(limit);
    await sql.end({ timeout: 1 });
  }
}
