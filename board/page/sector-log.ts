import type { SectorDocument } from '../../domain/event-state.ts';
import type { LiveMessage } from '../../domain/live-message.ts';

/**
 * Logs the sector documents to the console: the first ones, and every change. A reconnect brings the same ones again, which
 * is no change.
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
