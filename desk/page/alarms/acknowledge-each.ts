import type { CommandOutcome, SendCommand } from '../desk-view.ts';

/**
 * Acknowledges these alarms one after the other. A refusal does not stop the others, and is the outcome in the end; a missing
 * answer stops the row, and `retry` continues it.
 */
export async function acknowledgeEach(alarms: readonly string[], send: SendCommand): Promise<CommandOutcome> {
  const [alarm, ...others] = alarms;
  if (alarm === undefined) return { kind: 'recorded' };
  return continueWith(await send({ kind: 'acknowledge', alarm, note: null }), others, send);
}

async function continueWith(
  outcome: CommandOutcome,
  others: readonly string[],
  send: SendCommand,
): Promise<CommandOutcome> {
  if (outcome.kind === 'unsent') {
    const retry = async () => continueWith(await outcome.retry(), others, send);
    return { ...outcome, retry };
  }
  const ofOthers = await acknowledgeEach(others, send);
  return outcome.kind === 'refused' && ofOthers.kind === 'recorded' ? outcome : ofOthers;
}
