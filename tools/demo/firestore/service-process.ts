import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../../../domain/operator-error.ts';
import { endingWithUs } from '../ending-with-us.ts';

/** A service that the demo runs beside the board. */
export interface ServiceProcess {
  /** Resolves once it has ended, with the end of its output. */
  readonly ended: Promise<string>;
  /** Resolves once it has ended; it may be called again. */
  stop(): Promise<void>;
}

interface ServiceOptions {
  readonly name: string;
  readonly command: readonly string[];
  /** The files of its working directory, a temporary one, by their names. */
  readonly files?: Readonly<Record<string, string>>;
  /** Answers once the service is ready. */
  readonly url: string;
  /** SIGKILL suits a service without anything to save. */
  readonly stopSignal: NodeJS.Signals;
  readonly signal: AbortSignal;
}

const START_LIMIT_MS = 120_000;
const POLL_MS = 100;
const STOP_GRACE_MS = 1_500;
const KEPT_OUTPUT = 2_000;

/** Starts a service, and resolves once it answers. @throws OperatorError with its output, if it does not */
export async function startService({
  name,
  command,
  files = {},
  url,
  stopSignal,
  signal,
}: ServiceOptions): Promise<ServiceProcess> {
  const cwd = await mkdtemp(join(tmpdir(), 'triagem-service-'));
  for (const [file, text] of Object.entries(files)) await writeFile(join(cwd, file), text);
  const [program = '', ...args] = [...endingWithUs(), ...command];
  // A process group of its own: Ctrl-C must reach the demo only, which stops its services in order.
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  const keep = (bytes: Buffer): void => void (output = (output + bytes.toString()).slice(-KEPT_OUTPUT));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = once(child, 'close').then(
    () => output,
    (error: unknown) => String(error),
  );
  const stop = async (): Promise<void> => {
    child.kill(stopSignal);
    const limit = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
    await ended;
    clearTimeout(limit);
    await rm(cwd, { recursive: true, force: true });
  };
  try {
    await untilAnswers(url, name, ended, signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return { ended, stop };
}

async function untilAnswers(
  url: string,
  name: string,
  ended: Promise<string>,
  signal: AbortSignal,
): Promise<void> {
  const limitMs = performance.now() + START_LIMIT_MS;
  let last: string | undefined;
  void ended.then((output) => (last = output));
  for (;;) {
    signal.throwIfAborted();
    if (last !== undefined) throw new OperatorError(`${name} ended instead of starting:\n${last}`);
    if (await answers(url, signal)) return;
    if (performance.now() > limitMs)
      throw new OperatorError(`${name} does not answer after ${START_LIMIT_MS / 1_000} s.`);
    await sleep(POLL_MS);
  }
}

async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await fetch(url, { signal })).ok;
  } catch {
    return false;
  }
}
