import { setTimeout as pause } from 'node:timers/promises';
import { errorMessage } from '../../cli/errors.ts';
import {
  askForAll,
  askIfThere,
  askInTime,
  type Pretix,
  type PretixCheckin,
  type PretixPosition,
  readList,
} from './pretix-api.ts';
import type { PretixOrders } from './pretix-orders.ts';

/**
 * Finds annulled check-ins, of which pretix sends nothing, every `everyMs` until pretix's `stop` aborts, and refreshes their
 * orders. It never rejects: what fails is logged once, and done by the next sweep; the others are done.
 */
export async function sweepAnnulled(
  pretix: Pretix,
  orders: PretixOrders,
  everyMs: number,
  log: (line: string) => void,
): Promise<void> {
  const { list, stop } = pretix;
  const annulled = `checkins/?list=${list}&successful=false&error_reason=annulled`;
  const done = new Set<number>();
  let cause = '';
  const look = async ({ id, position }: PretixCheckin): Promise<void> => {
    if (typeof position === 'number') {
      const path = `orderpositions/${position}/?include_canceled_positions=true`;
      const there = await askInTime(pretix, (asked) => askIfThere<PretixPosition>(asked, path));
      if (there === undefined) log(`pretix has no ${path} any more, of which it lists an annulled check-in.`);
      else await orders.refresh(there.order, false);
    }
    done.add(id);
  };
  while (!stop.aborted) {
    let failure = '';
    const note = (error: unknown): void => void (failure ||= errorMessage(error));
    try {
      // Whether pretix can be asked is known so where no webhook comes, too.
      await askInTime(pretix, readList);
      for (const checkin of await askForAll<PretixCheckin>(pretix, annulled)) {
        if (stop.aborted) return;
        if (!done.has(checkin.id)) await look(checkin).catch(note);
      }
    } catch (error) {
      note(error);
    }
    if (stop.aborted) return;
    if (failure === '' && cause !== '') log('Annulled check-ins of pretix are found again.');
    if (failure !== '' && failure !== cause) log(`Annulled check-ins of pretix are not found: ${failure}`);
    cause = failure;
    await pause(everyMs, undefined, { signal: stop, ref: false }).catch(() => {});
  }
}
