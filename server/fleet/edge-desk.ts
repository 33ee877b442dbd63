import { performance } from 'node:perf_hooks';
import type { Venue } from '../../domain/venue.ts';
import type { EventStateObserver } from '../../board/counting/event-state-observer.ts';
import type { FanOut } from '../../board/fan-out/fan-out.ts';
import type { FollowedEvent } from '../../fleet/relay/followed-event.ts';
import type { NatsDeskLines } from '../../fleet/desk/nats-desk-lines.ts';
import { RemoteDesk } from '../../fleet/desk/remote-desk.ts';
import { sectorsOfFlow } from '../desk/sectors-of-flow.ts';

export function remoteDesk(
  lines: NatsDeskLines,
  event: FollowedEvent,
  { venue, demo }: { readonly venue: Venue | undefined; readonly demo: boolean },
): RemoteDesk {
  const { eventId } = event;
  return new RemoteDesk({
    eventId,
    sectors: [...sectorsOfFlow(venue).map(({ code }) => code), ''],
    source: demo ? 'simulated' : 'live',
    line: lines.of(eventId),
    counters: {
      primaryOf: (counter) => event.primaryOf(counter, performance.now()),
      current: () => event.following(performance.now()).counter,
      earliestMs: (counter, counterMs) => event.earliestMs(counter, counterMs),
    },
  });
}

/** Passes the event's state on to its screens; incomplete counts, which operators mark, only where there is a desk. */
export function screensOf(fanOut: FanOut, hasDesk: boolean): EventStateObserver {
  return {
    slice: (slice) => {
      if (hasDesk || slice.kind !== 'incomplete') fanOut.publish(slice);
    },
    freshness: (freshness) => fanOut.publishFreshness(freshness),
  };
}
