import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../../cli/command.ts';
import { nameFew } from '../csv/bad-lines.ts';
import { openTicketFile } from '../csv/ticket-file.ts';
import { errorCode, errorMessage, GatesError, TryAgainError } from '../../cli/errors.ts';
import { chooseEvent, type ChosenEvent } from '../../events/event.ts';
import { importFile } from '../importing/import-file.ts';
import type { ImportOptions } from '../importing/import-options.ts';
import { describeDoubts, describeImported } from '../importing/report.ts';
import { findTarget, type Target } from '../../cli/target.ts';
import { venueOf } from '../venue.ts';
import { type SettledFile, SettledFiles } from './settled-files.ts';
import { fileAway, type Outcome } from './filing.ts';
import { findPastImport, forgetImport, noteImport } from './imported-files.ts';
import type { FolderLock } from './folder-lock.ts';

export interface Watch {
  readonly folder: string;
  readonly lock: FolderLock;
  /** Undefined stands for the event of the board that runs when the database is first found. */
  readonly eventId: string | undefined;
  readonly options: ImportOptions;
  readonly settleMs: number;
  readonly env: Environment;
  readonly stop: AbortSignal;
  readonly log: (line: string) => void;
}

const POLL_MS = 1_000;
const RETRY_MS = 5_000;
/** Bad lines that the log names; the report has the others. */
const NAMED_IN_LOG = 10;

interface Result {
  readonly outcome: Outcome;
  readonly lines: readonly string[];
}

/**
 * Imports the files of the folder, one after the other, until `stop`. If anything other than the file prevents that, it
 * logs the cause once and retries; the file stays where it is.
 *
 * @throws GatesError where retrying is no help: wrong settings, another watcher.
 */
export async function watchFolder(watch: Watch): Promise<void> {
  const { folder, env, stop, log } = watch;
  const files = new SettledFiles(folder, watch.settleMs, log);
  let target: Target | undefined;
  let before: Target | undefined;
  let event: ChosenEvent | undefined;
  let cause: string | undefined;
  while (!stop.aborted) {
    try {
      if (!target) {
        target = await findTarget(env, 'GATES_DATABASE_URL', { before });
        event ??= chooseEvent(watch.eventId, target);
        before ??= target;
        await venueOf(env, target);
        if (cause === undefined) log(`Watching ${folder} for event ${event.name}`);
      }
      const file = await files.next();
      if (cause !== undefined) log('Going on.');
      cause = undefined;
      if (!file) await wait(POLL_MS, stop);
      else if (event) await take(file, watch, target, event);
    } catch (error) {
      if (stop.aborted) return;
      if (!canWait(error)) throw error;
      target = undefined;
      const message = errorMessage(error);
      if (message !== cause) log(`Waiting: ${message}`);
      cause = message;
      await wait(RETRY_MS, stop);
    }
  }
}

/** @throws TryAgainError where the file must be imported again. */
async function take(file: SettledFile, watch: Watch, target: Target, event: ChosenEvent): Promise<void> {
  const { folder, stop, log } = watch;
  const { name } = file;
  await watch.lock.assertHeld();
  log(`${name}: importing`);
  const result = await importDropped(file, watch, target, event);
  if (!result) {
    log(`${name}: taken away before it was read`);
    return;
  }
  const at = new Date();
  const head = `${name}, ${at.toISOString()}, event ${event.name}`;
  const report = `${[head, ...result.lines].join('\n')}\n`;
  const lines = result.lines.filter((line) => !line.startsWith(' '));
  const summary = nameFew(lines, NAMED_IN_LOG).join('; ');
  for (let cause = ''; ;) {
    try {
      const moved = await fileAway({ folder, file, outcome: result.outcome, report, at });
      // A row that stays is of a file that will not come again.
      await forgetImport(target, event.eventId, file, stop).catch(() => {});
      log(
        `${name}: ${summary}; ${moved === undefined ? await whyNotMoved(join(folder, name)) : `moved to ${moved}`}`,
      );
      return;
    } catch (error) {
      const message = errorMessage(error);
      if (!(await isThere(join(folder, name)))) {
        // The next attempt finds that the file is gone.
        if (errorCode(error) === 'ENOENT') continue;
        log(
          `${name}: ${summary}; taken away before it was moved, and its report cannot be written: ${message}`,
        );
        return;
      }
      if (message !== cause) log(`${name}: ${summary}; waiting to move it to ${result.outcome}: ${message}`);
      cause = message;
    }
    await wait(RETRY_MS, stop);
    if (stop.aborted) return;
  }
}

/** Returns undefined where the file is gone. */
async function importDropped(
  settled: SettledFile,
  { folder, options, env, stop }: Watch,
  target: Target,
  event: ChosenEvent,
): Promise<Result | undefined> {
  const path = join(folder, settled.name);
  const past = await findPastImport(target, event.eventId, settled, stop);
  if (past) {
    const when = `Imported at ${past.at.toISOString()}, and not again:`;
    return { outcome: 'done', lines: [when, ...past.report] };
  }
  const venue = await venueOf(env, target);
  const lines: string[] = [];
  let report: readonly string[] = [];
  try {
    const file = await openTicketFile(path, env);
    try {
      if (file.fingerprint !== settled.fingerprint)
        throw new TryAgainError(`${path} was replaced, or written to: try again when it is whole.`);
      await importFile(file, {
        target,
        event,
        venue,
        options,
        rejects: undefined,
        isDryRun: false,
        stop,
        log: (line) => lines.push(line),
        approve: async () => {},
        note: async (sql, imported) => {
          report = [
            ...lines,
            ...describeImported(imported, options, { isDryRun: false }),
            ...describeDoubts(imported, { isDryRun: false }),
          ];
          await noteImport(sql, event.eventId, settled, report);
        },
      });
      return { outcome: 'done', lines: report };
    } finally {
      file.bytes.destroy();
    }
  } catch (error) {
    if (stop.aborted || error instanceof TryAgainError || !(error instanceof GatesError)) throw error;
    if (!(await isThere(path))) return undefined;
    return { outcome: 'failed', lines: [...lines, ...error.message.split('\n')] };
  }
}

/** System errors may come from a network drive that is unavailable. */
function canWait(error: unknown): boolean {
  return (
    error instanceof TryAgainError ||
    (!(error instanceof GatesError) && /^E[A-Z]+$/.test(errorCode(error) ?? ''))
  );
}

async function whyNotMoved(path: string): Promise<string> {
  return (await isThere(path))
    ? 'replaced, or written to, before it was moved: it stays, and is taken again'
    : 'taken away before it was moved';
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => errorCode(error) !== 'ENOENT',
  );
}

async function wait(durationMs: number, stop: AbortSignal): Promise<void> {
  await pause(durationMs, undefined, { signal: stop }).catch(() => {});
}
