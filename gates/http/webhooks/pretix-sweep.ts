import { setTimeout as pause } from 'node:timers/promises';
import { errorMessage } from '../../cli/errors.ts';
import { askForAll, askPretix, type Pretix, type PretixCheckin, type PretixPosition } from './pretix-api.ts';
import type { PretixOrders } from './pretix-orders.ts';

/**
 * Finds annulled check-ins, of which pretix sends nothing, every `everyMs` until pretix's `stop` aborts, and refreshes their orders.
 * It never rejects: what fails is logged once, and done by the next sweep.
 */
export async function sweepAnnulled(
  pretix: Pretix,
  orders: PretixOrders,
  everyMs: number,
  log: (line: string) => void,
): Promise<void> {
  const { list, stop } = pretix;
  const done = new Set<number>();
  let cause = '';
  while (!stop.aborted) {
    try {
      const path = `checkins/?list=${list}&successful=false&error_reason=annulled`;
      for (const { id, position } of await askForAll<PretixCheckin>(pretix, path)) {
        if (stop.aborted) return;
        if (done.has(id)) continue;
        if (typeof position === 'number') {
          const { order } = await askPretix<PretixPosition>(
            pretix,
            `orderpositions/${position}/?include_canceled_positions=true`,
          );
          await orders.refresh(order, false);
        }
        done.add(id);
      }
      if (cause !== '') log('Annulled check-ins of pretix are found again.');
      cause = '';
    } catch (error) {
      if (stop.aborted) return;
      const message = errorMessage(error);
      if (message !== cause) log(`Annulled check-ins of pretix are not found: ${message}`);
      cause = message;
    }
    await pause(everyMs, undefined, { signal: stop, ref: false }).catch(() => {});
  }
}
