import type { CommandOutcome, SendCommand } from '../desk-view.ts';

/**
 * Says "ciente" to each of these alarms, one after the other. Where one is refused the others are recorded all the same, and
 * the refusal is told in the end; where no answer comes it stops there, and `retry` goes on.
 */
export async function acknowledgeEach(alarms: readonly string[], send: SendCommand): Promise<CommandOutcome> {
  const [alarm, ...others] = alarms;
  if (alarm === undefined) return { kind: 'recorded' };
  return goOn(await send({ kind: 'acknowledge', alarm, note: null }), others, send);
}

async function goOn(
  outcome: CommandOutcome,
  others: readonly string[],
  send: SendCommand,
): Promise<CommandOutcome> {
  if (outcome.kind === 'unsent') {
    const retry = async () => goOn(await outcome.retry(), others, send);
    return { ...outcome, retry };
  }
  const ofOthers = await acknowledgeEach(others, send);
  return outcome.kind === 'refused' && ofOthers.kind === 'recorded' ? outcome : ofOthers;
}
