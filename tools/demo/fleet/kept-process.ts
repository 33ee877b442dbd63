import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { endingWithUs } from '../ending-with-us.ts';

/** A process that is restarted when it ends, as by systemd. */
export interface KeptProcess {
  readonly name: string;
  /** The current process ID, or the last one. */
  readonly pid: number;
  /** Sends a message to the process, and to each later one after a restart. */
  send(message: object): void;
  stop(): Promise<void>;
}

export interface KeptProcessOptions {
  readonly name: string;
  readonly command: readonly string[];
  /** The whole environment, beside PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it receives messages; by default not. */
  readonly hasChannel?: boolean;
  /** The default is 2 s, as in triagem.service. */
  readonly restartAfterMs?: number;
  readonly logFile: string;
  readonly print: (line: string) => void;
}

const STOP_GRACE_MS = 1_500;

export function keepRunning({
  name,
  command,
  env = {},
  hasChannel = false,
  restartAfterMs = 2_000,
  logFile,
  print,
}: KeptProcessOptions): KeptProcess {
  const log = createWriteStream(logFile, { flags: 'a' });
  let child: ChildProcess;
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  let pid = 0;
  let lastMessage: object | undefined;
  const start = (): void => {
    const [program = '', ...args] = [...endingWithUs(), ...command];
    const { PATH = '', HOME = '' } = process.env;
    // A process group of its own: Ctrl-C must reach the demo only, which stops its processes in order.
    const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', ...(hasChannel ? (['ipc'] as const) : [])];
    child = spawn(program, args, { env: { PATH, HOME, ...env }, detached: true, stdio });
    pid = child.pid ?? pid;
    if (lastMessage) child.send(lastMessage, () => {});
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    child.once('error', (error) => print(`${name} cannot be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      if (isStopping) return;
      print(
        `${name} ended (${signal ?? `exit code ${code}`}); it is started again after ${restartAfterMs / 1_000} s. Its log: ${logFile}`,
      );
      timer = setTimeout(() => {
        start();
        print(`${name} runs again: process ${pid}`);
      }, restartAfterMs);
    });
  };
  start();
  return {
    name,
    get pid() {
      return pid;
    },
    send(message) {
      lastMessage = message;
      // A process that is ending may miss it; the next one receives it.
      if (child.connected) child.send(message, () => {});
    },
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        // A stopped process (SIGSTOP) reacts to nothing else.
        const limit = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
        await ended;
        clearTimeout(limit);
      }
      log.end();
    },
  };
}
