import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Sample } from './slope.ts';

/** The server, a process of its own, which is killed and started again. */
export interface ServerProcess {
  /** Memory and open files; empty where the system has no /proc. */
  readonly samples: readonly Sample[];
  /** Takes one. They are comparable when taken in the same situation. */
  sample(): void;
  /** SIGKILL, and a new one on the same port. */
  restart(): Promise<void>;
  /** Resolves with what it wrote to stderr if it ends by itself. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

const START = fileURLToPath(new URL('../../server/start.js', import.meta.url));
/** The first minutes are not like the others: code is compiled, caches fill, connections of sign-ins idle. */
const WARM_UP_MS = 120_000;

export function startServerProcess(env: Readonly<Record<string, string>>): ServerProcess {
  const samples: Sample[] = [];
  let run = 0;
  let isWanted = true;
  let startedAtMs = 0;
  let fail: (reason: string) => void = () => {};
  const failed = new Promise<string>((resolve) => (fail = resolve));
  let child = start();

  function start(): ChildProcess {
    run += 1;
    const started = spawn(process.execPath, [START], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    started.stderr.on('data', (bytes: Buffer) => (stderr = (stderr + bytes.toString()).slice(-4_000)));
    started.once('exit', () => {
      if (isWanted && started === child) fail(stderr || 'it wrote nothing');
    });
    startedAtMs = performance.now();
    return started;
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ending = child;
    if (ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, 'exit');
    ending.kill(signal);
    await ended;
  }

  return {
    samples,
    failed,
    sample() {
      const atMs = performance.now();
      const usage = usageOf(child.pid);
      if (usage) samples.push({ run, isWarm: atMs - startedAtMs > WARM_UP_MS, atMs, ...usage });
    },
    async restart() {
      isWanted = false;
      await end('SIGKILL');
      isWanted = true;
      child = start();
    },
    async stop() {
      isWanted = false;
      await end('SIGTERM');
    },
  };
}

/** Resident memory in MB, and open file descriptors. */
function usageOf(pid: number | undefined): { memoryMb: number; files: number } | undefined {
  try {
    const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return { memoryMb: Number(kilobytes) / 1_024, files: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return undefined;
  }
}
