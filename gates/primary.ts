import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { addressOf, hostOf, hostUrls } from '../domain/database-hosts.ts';
import { HOST_LOOK_SQL, type HostAnswer, readHostAnswer } from '../domain/host-look.ts';
import { choosePrimary, type HostReport } from '../domain/primary-choice.ts';
import type { TargetSetting } from './database-errors.ts';
import { errorMessage, TryAgainError } from './errors.ts';

/** Once a primary has answered: one of a later timeline has so long to say so. */
const STRAGGLER_MS = 500;
const LOOK_LIMIT_S = 3;

/**
 * The connection string with the primary as its one host: of several, all are looked at, and an old primary that is still
 * up counts for nobody.
 *
 * @throws TryAgainError unless there is one.
 */
export async function findPrimaryUrl(url: string, setting: TargetSetting): Promise<string> {
  const urls = hostUrls(url);
  const [only = url] = urls;
  if (urls.length <= 1) return only;
  const reports: HostReport[] = urls.map((each) => ({
    kind: 'away',
    host: hostOf(each),
    reason: 'has not answered yet',
    shouldRetry: true,
  }));
  const looks = urls.map(async (each, index) => {
    const report = await look(each);
    reports[index] = report;
    return report.kind === 'primary';
  });
  const found = new Promise<void>((resolve) => {
    for (const looking of looks) void looking.then((isPrimary) => isPrimary && resolve());
  });
  // Nobody waits for the machine of a dead primary.
  await Promise.race([Promise.all(looks), found.then(() => pause(STRAGGLER_MS))]);
  const choice = choosePrimary([...reports]);
  if ('cause' in choice) throw new TryAgainError(`${setting} ${choice.cause}: ${choice.fix}.`);
  return urls.find((each) => hostOf(each) === choice.primary.host) ?? only;
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
  try {
    const [answer] = await sql.unsafe<[HostAnswer]>(HOST_LOOK_SQL);
    return readHostAnswer(host, answer);
  } catch (error) {
    return { kind: 'away', host, reason: `does not answer (${errorMessage(error)})`, shouldRetry: true };
  } finally {
    await sql.end({ timeout: 1 });
  }
}
