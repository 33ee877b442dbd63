import { performance } from 'node:perf_hooks';
import { DEFAULT_VENUE, knownCodes } from '../../domain/venue.ts';
import { InProcessFanOut, shownBy } from '../../board/fan-out/in-process.ts';
import { loadPages } from '../../board/http/page.ts';
import { onlyEvent } from '../../board/http/served-event.ts';
import { showVenue } from '../../board/http/shown-venue.ts';
import type { EdgeSubscriber } from '../../fleet/relay/edge-subscriber.ts';
import type { NatsDeskLines } from '../../fleet/desk/nats-desk-lines.ts';
import { deskPages } from '../desk/desk-pages.ts';
import { boardPages } from '../served-pages.ts';
import { createVenueClock } from '../../board/venue/venue-clock.ts';
import type { EdgeEvents } from './edge-events.ts';
import { remoteDesk, screensOf } from './edge-desk.ts';
import type { EdgeConfig } from './fleet-config.ts';
import type { Overrides } from '../roles/triagem.ts';

/** The one event of EVENT_ID, under every name. */
export function serveEvent({
  config,
  webRoot,
  relay,
  desks,
  overrides,
}: {
  readonly config: EdgeConfig;
  readonly webRoot: string;
  readonly relay: EdgeSubscriber;
  /** `undefined`: there is no desk. */
  readonly desks: NatsDeskLines | undefined;
  readonly overrides: Overrides;
}): EdgeEvents {
  const { eventId, venue = DEFAULT_VENUE } = config;
  const shownVenue = config.venue && showVenue(config.venue);
  const readClock = createVenueClock(config.timeZone);
  const fanOut = new InProcessFanOut({ ...shownBy(venue), readClock, limits: overrides.fanOut });
  const event = relay.follow(eventId, knownCodes(venue), screensOf(fanOut, desks !== undefined));
  const byHost = onlyEvent({
    eventId,
    account: { email: config.dashboardEmail, key: config.dashboardKey },
    pages: loadPages(webRoot, boardPages(config), shownVenue),
    venue: shownVenue,
    fanOut,
    readClock,
    desk:
      desks && config.deskKey !== undefined
        ? {
            key: config.deskKey,
            desk: remoteDesk(desks, event, config),
            sessionLifetimeMs: overrides.deskSessionLifetimeMs,
          }
        : undefined,
    otherPages: desks && loadPages(webRoot, deskPages(config), shownVenue),
  });
  return {
    byHost,
    notReadyReason: () => relay.notReadyReason(event),
    warning: () => undefined,
    details: () => ({ follows: { ...event.following(performance.now()), counters: relay.answering() } }),
    freshness: () => event.freshness,
    viewers: fanOut,
    counts: () => event.counts,
    close: () => fanOut.close(),
  };
}
