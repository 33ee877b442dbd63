import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../../cli/command.ts';
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
import type { FolderLock } from './folder-lock.ts';

export interface Watch {
  readonly folder: string;
  readonly lock: FolderLock;
  /** Undefined: that of the board that runs when the database is first found. */
  readonly eventId: string | undefined;
  readonly options: ImportOptions;
  readonly settleMs: number;
  readonly env: Environment;
  readonly stop: AbortSignal;
  /** Hears of each file and its outcome, and of whatever has to be waited for. */
  readonly log: (line: string) => void;
}

const LOOK_AGAIN_MS = 1_000;
const TRY_AGAIN_MS = 5_000;

/** What was done with a file, to be filed away. */
interface Result {
  readonly outcome: Outcome;
  readonly lines: readonly string[];
}

/**
 * Imports what is dropped into the folder until `stop`, one file after the other. Whatever keeps it from working, other
 * than the file itself, is told once and waited for; the file stays where it is.
 *
 * @throws GatesError where no waiting helps: settings that are wrong, another watcher.
 */
export async function watchFolder(watch: Watch): Promise<void> {
  const { folder, env, stop, log } = watch;
  const files = new SettledFiles(folder, watch.settleMs, log);
  let target: Target | undefined;
  let event: ChosenEvent | undefined;
  let told: string | undefined;
  while (!stop.aborted) {
    try {
      if (!target) {
        target = await findTarget(env);
        event ??= chooseEvent(watch.eventId, target);
        await venueOf(env, target);
        if (told === undefined) log(`Watching ${folder} for event ${event.name}`);
      }
      const file = await files.next();
      if (told !== undefined) log('Going on.');
      told = undefined;
      if (!file) await wait(LOOK_AGAIN_MS, stop);
      else if (event) await take(file, watch, target, event);
    } catch (error) {
      if (stop.aborted) return;
      if (!canWait(error)) throw error;
      target = undefined;
      const message = errorMessage(error);
      if (message !== told) log(`Waiting: ${message}`);
      told = message;
      await wait(TRY_AGAIN_MS, stop);
    }
  }
}

/** @throws TryAgainError where the file has to be taken again. */
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
  const summary = result.lines.filter((line) => !line.startsWith(' ')).join('; ');
  for (let told = ''; ;) {
    try {
      const moved = await fileAway({ folder, file, outcome: result.outcome, report, at });
      log(
        `${name}: ${summary}; ${moved === undefined ? await whyNotMoved(join(folder, name)) : `moved to ${moved}`}`,
      );
      return;
    } catch (error) {
      // Looked at again, it is found to be gone.
      if (errorCode(error) === 'ENOENT' && !(await isThere(join(folder, name)))) continue;
      const message = errorMessage(error);
      if (message !== told) log(`${name}: ${summary}; waiting to move it to ${result.outcome}: ${message}`);
      told = message;
    }
    await wait(TRY_AGAIN_MS, stop);
    if (stop.aborted) return;
  }
}

/** Undefined: the file is gone. */
async function importDropped(
  { name, look }: SettledFile,
  { folder, options, env, stop }: Watch,
  target: Target,
  event: ChosenEvent,
): Promise<Result | undefined> {
  const path = join(folder, name);
  const venue = await venueOf(env, target);
  const lines: string[] = [];
  try {
    const file = await openTicketFile(path);
    try {
      if (file.look !== look)
        throw new TryAgainError(`${path} was replaced, or written to: try again when it is whole.`);
      const imported = await importFile(file, {
        target,
        event,
        venue,
        options,
        rejects: undefined,
        isDryRun: false,
        stop,
        say: (line) => lines.push(line),
        approve: async () => {},
      });
      lines.push(...describeImported(imported, options, { isDryRun: false }), ...describeDoubts(imported));
      return { outcome: 'done', lines };
    } finally {
      file.bytes.destroy();
    }
  } catch (error) {
    if (stop.aborted || error instanceof TryAgainError || !(error instanceof GatesError)) throw error;
    if (!(await isThere(path))) return undefined;
    return { outcome: 'failed', lines: [...lines, ...error.message.split('\n')] };
  }
}

/** Whatever a network drive says while it is away. */
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
