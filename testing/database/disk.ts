import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { closeOnce } from '../close-once.ts';

/** A disk of a test's own, in memory, which no other process sees but those run through `enter`. */
export interface TestDisk {
  /** Where it is mounted, for a program that was run through `enter`. */
  readonly folder: string;
  /** The same folder, for the test. */
  readonly seenFromOutside: string;
  /** The command prefix with which a process sees the disk. */
  readonly enter: readonly string[];
  setReadOnly(readOnly: boolean): Promise<void>;
}

/**
 * Makes it, in a mount namespace of its own (mount_namespaces(7)); an ordinary user needs a user namespace for that.
 * It is gone with the test, or with the file that opened it for all.
 */
export async function makeTestDisk(options: { readonly megabytes: number }): Promise<TestDisk> {
  const folder = mkdtempSync(join(tmpdir(), 'triagem-disk-'));
  chmodSync(folder, 0o755);
  const isRoot = process.getuid?.() === 0;
  const keeper = spawn(
    'unshare',
    [
      ...(isRoot ? ['-m'] : ['-U', '-m', '--map-current-user', '--keep-caps']),
      'sh',
      '-c',
      // Ends with its standard input.
      'while read -r command; do $command 2>&1 || echo failed; echo done; done',
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const gone = new Promise((resolve) => keeper.once('close', resolve));
  closeOnce(async () => {
    keeper.stdin.end();
    await gone;
    rmdirSync(folder);
  });
  const lines = createInterface({ input: keeper.stdout })[Symbol.asyncIterator]();
  const mount = async (command: string): Promise<void> => {
    keeper.stdin.write(`mount ${command}\n`);
    const output: string[] = [];
    for (;;) {
      const { value, done } = await lines.next();
      if (done || output.includes('failed')) {
        throw new Error(`a disk of a test's own needs mount namespaces: ${output.join(' ')}`);
      }
      if (value === 'done') return;
      output.push(value);
    }
  };
  await mount(`-t tmpfs -o size=${options.megabytes}m,mode=755 tmpfs ${folder}`);
  const entrance = isRoot ? ['-m'] : ['-U', '--preserve-credentials', '-m'];
  return {
    folder,
    seenFromOutside: `/proc/${keeper.pid}/root${folder}`,
    enter: ['nsenter', '-t', String(keeper.pid), ...entrance],
    setReadOnly: (readOnly) => mount(`-o remount,${readOnly ? 'ro' : 'rw'} ${folder}`),
  };
}

/** Leaves no more free than what is beyond `megabytes`; returns what to remove. */
export function fillDisk({ seenFromOutside }: TestDisk, megabytes: number): string {
  const filler = join(seenFromOutside, `filler-${randomBytes(6).toString('hex')}`);
  try {
    writeFileSync(filler, Buffer.alloc(megabytes * 2 ** 20));
  } catch (error) {
    if (!String(error).includes('ENOSPC')) throw error;
  }
  return filler;
}
