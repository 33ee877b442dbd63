import { errorCode } from '../../database/setup-error.ts';

/** Sends a signal to each process; one that has ended since it was listed needs none. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (errorCode(error) !== 'ESRCH') throw error;
    }
  }
}
