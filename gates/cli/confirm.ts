import { createInterface } from 'node:readline/promises';
import { isYes } from '../../domain/yes.ts';
import { GatesError, INTERRUPTED } from './errors.ts';

export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** @throws GatesError unless the answer is yes. */
export async function confirm(question: string, stop: AbortSignal): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const interrupted = new AbortController();
  const hungUp = new AbortController();
  terminal.once('SIGINT', () => interrupted.abort());
  // Ctrl-D.
  terminal.once('close', () => hungUp.abort());
  const signal = AbortSignal.any([stop, interrupted.signal, hungUp.signal]);
  const answer = await terminal.question(`${question} [y/N] `, { signal }).catch(() => undefined);
  terminal.close();
  if (isYes(answer)) return;
  if (answer === undefined) process.stderr.write('\n');
  const wasStopped = stop.aborted || interrupted.signal.aborted;
  throw new GatesError('Nothing was changed.', wasStopped ? INTERRUPTED : 1);
}
