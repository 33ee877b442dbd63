import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { readFingerprint, withoutChangeTime } from '../csv/ticket-file.ts';
import { errorCode } from '../../cli/errors.ts';
import type { SettledFile } from './settled-files.ts';

export type Outcome = 'done' | 'failed';

/** Hidden files are never taken. */
const PROBE = '.triagem-moves';
const REPORT = '.report.txt';
/** The last lines of a report that is filed without its file. */
const NOT_HERE =
  'The file itself is not here: it was taken away, replaced or written to before it was moved. What has its name now is ' +
  'imported next.';

export async function makeFolders(folder: string): Promise<void> {
  for (const outcome of ['done', 'failed']) await mkdir(join(folder, outcome), { recursive: true });
}

/** Moves an empty file there and removes it. @throws Error: `done` or `failed` is on another file system, for example */
export async function assertCanFile(folder: string): Promise<void> {
  const probe = join(folder, PROBE);
  for (const outcome of ['done', 'failed']) {
    const moved = join(folder, outcome, PROBE);
    await writeFile(probe, '');
    try {
      await rename(probe, moved);
    } catch (error) {
      if (errorCode(error) !== 'EXDEV') throw error;
      throw new Error(
        `its folder "${outcome}" is on another file system, to which no file is moved: make it a plain folder`,
        { cause: error },
      );
    } finally {
      await rm(probe, { force: true });
      await rm(moved, { force: true });
    }
  }
}

export interface Filing {
  readonly folder: string;
  readonly file: SettledFile;
  readonly outcome: Outcome;
  readonly report: string;
  readonly at: Date;
}

/**
 * Moves a file to `done` or `failed`, under its name or, if that is taken, with the time. The report is written first, so
 * that no file is there without one. It may be repeated. Returns the new path of the file.
 *
 * A file with another fingerprint was replaced or written to: it stays in the folder, the report is filed without it, and
 * undefined is returned.
 */
export async function fileAway({ folder, file, outcome, report, at }: Filing): Promise<string | undefined> {
  const { name, fingerprint } = file;
  const path = join(folder, name);
  await makeFolders(folder);
  if ((await readFingerprint(path)) === fingerprint) {
    const target = join(outcome, await freeName(join(folder, outcome), name, at));
    await writeReport(join(folder, target), report);
    await rename(path, join(folder, target));
    const moved = await readFingerprint(join(folder, target));
    if (withoutChangeTime(moved) === withoutChangeTime(fingerprint)) return target;
    // It was replaced just before the move.
    await rename(join(folder, target), join(folder, await freeName(folder, name, at)));
  }
  const alone = await freeName(join(folder, outcome), name, at, REPORT);
  await writeReport(join(folder, outcome, alone), `${report}${NOT_HERE}\n`);
  return undefined;
}

async function writeReport(path: string, report: string): Promise<void> {
  await writeFile(`${path}${REPORT}.partial`, report);
  await rename(`${path}${REPORT}.partial`, `${path}${REPORT}`);
}

/** The name of a report without its file always has the time, since the next file may need the plain name. */
async function freeName(
  folder: string,
  name: string,
  at: Date,
  suffix: '' | typeof REPORT = '',
): Promise<string> {
  const { name: base, ext } = parse(name);
  // '20261122-043000'
  const stamp = at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  for (let number = suffix === '' ? 0 : 1; ; number++) {
    // "_" comes after ".": put back into the folder, they are taken in the order in which they came.
    const candidate = [name, `${base}_${stamp}${ext}`][number] ?? `${base}_${stamp}_${number}${ext}`;
    if (!(await exists(join(folder, `${candidate}${suffix}`)))) return candidate;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
