import { execFile } from 'node:child_process';
import { arch, cpus, release, tmpdir, totalmem, type } from 'node:os';
import { promisify } from 'node:util';
import { findBinaries } from '../../database/embedded/binaries.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { findChromium } from '../support/chromium.ts';

const WRITTEN_BY_US = [':!bench/results', ':!docs/performance.md'];

export type Machine = Awaited<ReturnType<typeof describeMachine>>;

/** What the figures are measured on: without it they say nothing. */
export async function describeMachine() {
  const here = tmpdir();
  const binaries = await findBinaries({ base: here, folder: here, cluster: here, account: undefined });
  const browser = findChromium();
  const changes = await outputOf('git', 'status', '--porcelain', '--', '.', ...WRITTEN_BY_US);
  return {
    // ISO 8601, UTC.
    date: new Date().toISOString(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1e9),
    system: `${type()} ${release()} ${arch()}`,
    node: process.version,
    postgresql: binaries.version,
    chromium: (browser && (await outputOf(browser, '--version'))?.split('\n')[0]) ?? 'no Chromium',
    commit: await commitOf(PROJECT_ROOT),
    // Files differ from the commit, results of benchmarks aside. A copy without its history may be anything.
    isDirty: changes !== '',
  };
}

export function machineLines(machine: Machine): string[] {
  const { date, cpu, cores, memoryGb, system, node, postgresql, chromium, commit, isDirty } = machine;
  return [
    `${date} · commit ${commit}${isDirty ? ', with changes that are not committed' : ''}`,
    `${cpu}, ${cores} cores, ${memoryGb} GB · ${system}`,
    `Node ${node} · ${postgresql} · ${chromium}`,
  ];
}

/** Which one is checked out in this folder. */
export async function commitOf(folder: string): Promise<string> {
  return (await outputOf('git', '-C', folder, 'rev-parse', '--short=12', 'HEAD')) ?? 'unknown';
}

async function outputOf(program: string, ...args: string[]): Promise<string | undefined> {
  const options = { cwd: PROJECT_ROOT, timeout: 10_000 };
  return promisify(execFile)(program, args, options).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}
