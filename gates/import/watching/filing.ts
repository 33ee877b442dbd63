import { lstat, mkdir, rename, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { lookOf } from '../csv/ticket-file.ts';
import { errorCode } from '../../cli/errors.ts';
import type { SettledFile } from './settled-files.ts';

export type Outcome = 'done' | 'failed';

const REPORT = '.report.txt';
/** The end of a report that is filed alone. */
const NOT_HERE =
  'The file itself is not here: it was taken away, replaced or written to before it was moved. What has its name now is ' +
  'imported next.';

export async function makeFolders(folder: string): Promise<void> {
  for (const outcome of ['done', 'failed']) await mkdir(join(folder, outcome), { recursive: true });
}

/** What was done with a file. */
export interface Filing {
  readonly folder: string;
  readonly file: SettledFile;
  readonly outcome: Outcome;
  readonly report: string;
  readonly at: Date;
}

/**
 * Moves a file to `done` or `failed`, under its name or, if that is taken, with the time; the report goes before it, so
 * that no file is there without one. Done twice, it does no harm. Returns where the file is.
 *
 * What does not look as it did any more is another file, or has been written to: it stays in the folder, and the report
 * is filed alone, under a name of its own. Then undefined is returned.
 */
export async function fileAway({ folder, file, outcome, report, at }: Filing): Promise<string | undefined> {
  const { name, look } = file;
  const path = join(folder, name);
  await makeFolders(folder);
  if ((await lookOf(path)) === look) {
    const target = join(outcome, await freeName(join(folder, outcome), name, at));
    await writeReport(join(folder, target), report);
    await rename(path, join(folder, target));
    if ((await lookOf(join(folder, target))) === look) return target;
    // It was replaced in this very moment.
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

/** With the time in any case where it is the name of a report alone: the name itself is for the file that comes next. */
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
    const candidate = [name, `${base}-${stamp}${ext}`][number] ?? `${base}-${stamp}-${number}${ext}`;
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
