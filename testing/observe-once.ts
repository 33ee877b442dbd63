import { pino } from 'pino';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { EventProjection } from '../server/counting/event-projection.ts';
import { PostgresFeed } from '../server/observing/postgres-feed.ts';

/** Observes until it is live, or refused for good: then the message is what the operator reads. */
export async function observeOnce(url: string): Promise<string> {
  const feed = new PostgresFeed({
    url,
    place: { setting: 'DATABASE_URL' },
    eventId: DEFAULT_EVENT_ID,
    knownCodes: [],
    source: { url: undefined, unwatched: [] },
    log: pino({ level: 'silent' }),
  });
  try {
    return await new Promise<string>((resolve, reject) => {
      const observer = {
        part: () => {},
        freshness: ({ live }: { readonly live: boolean }) => live && resolve('live'),
      };
      const projection = new EventProjection({ eventId: DEFAULT_EVENT_ID, knownCodes: [], observer });
      feed.run(projection).catch(reject);
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await feed.stop();
  }
}
