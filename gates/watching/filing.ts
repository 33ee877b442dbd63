import { lstat, mkdir, rename, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { errorCode } from '../errors.ts';

export type Outcome = 'done' | 'failed';

export async function makeFolders(folder: string): Promise<void> {
  for (const outcome of ['done', 'failed']) await mkdir(join(folder, outcome), { recursive: true });
}

/**
 * Moves a file to `done` or `failed`, under its name or, if that is taken, with the time; the report goes before it, so
 * that no file is there without one. Done twice, it does no harm. Returns where the file is.
 */
export async function fileAway(
  folder: string,
  name: string,
  outcome: Outcome,
  report: string,
  at: Date,
): Promise<string> {
  await makeFolders(folder);
  const target = join(outcome, await freeName(join(folder, outcome), name, at));
  const reportPath = join(folder, `${target}.report.txt`);
  await writeFile(`${reportPath}.partial`, report);
  await rename(`${reportPath}.partial`, reportPath);
  await rename(join(folder, name), join(folder, target));
  return target;
}

async function freeName(folder: string, name: string, at: Date): Promise<string> {
  const { name: base, ext } = parse(name);
  // '20261122-043000'
  const stamp = at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  for (let number = 0; ; number++) {
    const candidate = [name, `${base}-${stamp}${ext}`][number] ?? `${base}-${stamp}-${number}${ext}`;
    if (!(await exists(join(folder, candidate)))) return candidate;
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
