import type { SectorDocument } from '../../domain/event-state.ts';
import type { LiveMessage } from '../../domain/live-message.ts';

/**
 * Sector documents go to the console and nowhere else: the first that come, and every change. A reconnect
 * brings the same ones again, which is no change.
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
