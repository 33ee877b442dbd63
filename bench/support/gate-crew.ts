import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Gates that let holders in, in a process of their own, so that what they cost is not the server's. */
export interface GateCrew {
  /** Lets holders in by one commit each; one shift at a time. */
  work(shift: Shift): Promise<ShiftReport>;
  /** What the machine's clock says in that process. */
  clockMs(): Promise<number>;
  stop(): Promise<void>;
}

export interface Shift {
  /** Tickets from this number on have not entered. */
  readonly firstTicket: number;
  /** The shift ends early when they are used up. */
  readonly lastTicket: number;
  readonly durationMs: number;
  /** How many holders come; absent: as many as the gates can take. */
  readonly perSecond?: number;
}

export interface ShiftReport {
  /** When each commit was acknowledged to its gate, by the machine's clock, in this order. */
  readonly acknowledgedAtMs: readonly number[];
  /** Of each: from the holder's coming to the acknowledgement. */
  readonly latenciesMs: readonly number[];
  readonly elapsedMs: number;
}

const CREW = fileURLToPath(new URL('gate-crew-process.js', import.meta.url));

/** Resolves once every gate is connected. */
export async function openGateCrew(gatesUrl: string, gates: number, signal: AbortSignal): Promise<GateCrew> {
  signal.throwIfAborted();
  const child = fork(CREW, [gatesUrl, String(gates)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let stderr = '';
  child.stderr?.on('data', (bytes: Buffer) => (stderr = (stderr + bytes.toString()).slice(-4_000)));
  const ended = once(child, 'exit');
  const broken = ended.then(() => {
    throw new Error(`the gates ended: ${stderr || 'they wrote nothing'}`);
  });
  broken.catch(() => {});
  const end = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  const answer = async (): Promise<unknown> => {
    const [message] = (await Promise.race([once(child, 'message'), broken])) as unknown[];
    return message;
  };
  const stop = async (): Promise<void> => {
    signal.removeEventListener('abort', end);
    end();
    await ended;
  };
  await answer();
  return {
    async work(shift) {
      const reported = answer();
      child.send(shift);
      return (await reported) as ShiftReport;
    },
    async clockMs() {
      const told = answer();
      child.send('clock');
      return (await told) as number;
    },
    stop,
  };
}
