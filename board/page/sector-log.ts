import type { SectorDocument } from '../../domain/event-state.ts';
import type { LiveMessage } from '../../domain/live-message.ts';

/**
 * Passes the sector documents to `log`: the first ones, and again after each change, but not when a reconnect sends the
 * same ones.
 */
export function createSectorLog(
  log: (documents: readonly SectorDocument[]) => void,
): (messages: readonly LiveMessage[]) => void {
  let logged: string | undefined;
  return (messages) => {
    for (const message of messages) {
      if (message.event !== 'sectors') continue;
      const text = JSON.stringify(message.data);
      if (text !== logged) log(message.data);
      logged = text;
    }
  };
}
