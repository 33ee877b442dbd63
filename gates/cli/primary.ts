import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { addressOf, hostOf, hostUrls } from '../../domain/database-hosts.ts';
import { HOST_LOOK_SQL, type HostAnswer, readHostAnswer } from '../../domain/host-look.ts';
import { choosePrimary, findRetiring, type HostReport } from '../../domain/primary-choice.ts';
import { KnownTimelines } from '../../domain/known-timelines.ts';
import type { TargetSetting } from './database-errors.ts';
import { errorMessage, TryAgainError } from './errors.ts';

/** Hosts that have not answered yet are not waited for longer, once that can do no harm. */
const STRAGGLER_MS = 500;
const LOOK_LIMIT_S = 3;
const WATCH_EVERY_MS = 1_000;

/** By this process, whatever it connects for: what a former primary is told is lost. */
const known = new KnownTimelines();
/** Those of the primaries that it has used. */
const used = new KnownTimelines();

/**
 * The connection string with the primary as its one host: of several, all are looked at, and an old primary that is still
 * up counts for nobody, also while the one that this process knows of is unavailable. So all are waited for, unless one leads
 * that was promoted since this process used one. `isTriedAgain`: whoever asks will ask again, and waits for no silent host
 * while only standbys have answered.
 *
 * @throws TryAgainError unless there is one.
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
  const looks = urls.map(async (each, index) => void (reports[index] = await look(each)));
  const all = Promise.all(looks);
  const enough = new Promise<void>((resolve) => {
    for (const looking of looks) void looking.then(() => isEnough() && resolve());
  });
  // Nobody waits for the machine of a dead primary.
  await Promise.race([all, enough.then(() => pause(STRAGGLER_MS))]);
  if (!isEnough()) await all;
  const choice = choosePrimary([...reports], { known });
  if ('cause' in choice) throw new TryAgainError(`${setting} ${choice.cause}: ${choice.fix}.`);
  used.note(choice.primary);
  return urls.find((each) => hostOf(each) === choice.primary.host) ?? only;
}

/**
 * Resolves with true once a host of the connection string `address` knows of a later timeline than the one at `url`, which
 * is in use: it leads no more, up or not. With false once `stop` aborts.
 */
export async function untilRetired(
  { url, address }: { readonly url: string; readonly address: string },
  stop: AbortSignal,
): Promise<boolean> {
  const others = hostUrls(address).filter((each) => hostOf(each) !== hostOf(url));
  if (others.length === 0) {
    if (!stop.aborted) await once(stop, 'abort');
    return false;
  }
  const next = (): Promise<unknown> => pause(WATCH_EVERY_MS, undefined, { signal: stop }).catch(() => {});
  let current = await look(url);
  for (; current.kind === 'unavailable' && !stop.aborted; current = await look(url)) await next();
  const watch = async (each: string): Promise<boolean> => {
    while (!stop.aborted) {
      const report = await look(each);
      const retiring = current.kind === 'unavailable' ? undefined : findRetiring([report], current);
      if (retiring) {
        known.note(retiring);
        return !stop.aborted;
      }
      await next();
    }
    return false;
  };
  return Promise.race(others.map(watch));
}

async function look(url: string): Promise<HostReport> {
  const host = hostOf(url);
  const sql = postgres(url, {
    ...addressOf(url),
    max: 1,
    connect_timeout: LOOK_LIMIT_S,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'triagem gates' },
  });
  // A host may fall silent once it has let us in.
  const limit = setTimeout(() => void sql.end({ timeout: 0 }), LOOK_LIMIT_S * 1_000);
  try {
    const [answer] = await sql.unsafe<[HostAnswer]>(HOST_LOOK_SQL);
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
