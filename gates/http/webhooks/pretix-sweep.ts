import { setTimeout as pause } from 'node:timers/promises';
import { errorMessage } from '../../cli/errors.ts';
import { askForAll, askIfThere, type Pretix, type PretixCheckin, type PretixPosition } from './pretix-api.ts';
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
      const annulled = `checkins/?list=${list}&successful=false&error_reason=annulled`;
      for (const { id, position } of await askForAll<PretixCheckin>(pretix, annulled)) {
        if (stop.aborted) return;
        if (done.has(id)) continue;
        if (typeof position === 'number') {
          const path = `orderpositions/${position}/?include_canceled_positions=true`;
          const there = await askIfThere<PretixPosition>(pretix, path);
          if (there) await orders.refresh(there.order, false);
          else log(`pretix has no ${path} any more, of which it lists an annulled check-in.`);
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
