import { pino } from 'pino';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { EventProjection } from '../../board/counting/event-projection.ts';
import { openPostgresSource } from '../../board/sources/open-source.ts';

/** Observes until it is live, or refused for good: then the message is what the operator reads. */
export async function observeOnce(url: string): Promise<string> {
  const log = pino({ level: 'silent' });
  const subscriptions = { url: undefined, unwatched: [] };
  const source = openPostgresSource(
    { kind: 'postgres', url, subscriptions },
    { eventId: DEFAULT_EVENT_ID, knownCodes: [], wantsMetadata: false, log },
  );
  try {
    return await new Promise<string>((resolve, reject) => {
      const observer = {
        slice: () => {},
        freshness: ({ live }: { readonly live: boolean }) => live && resolve('live'),
      };
      const projection = new EventProjection({ eventId: DEFAULT_EVENT_ID, knownCodes: [], observer, log });
      source.run(projection).catch(reject);
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await source.stop();
  }
}
