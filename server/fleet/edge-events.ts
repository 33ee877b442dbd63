import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { Freshness } from '../../domain/event-state.ts';
import { DEFAULT_VENUE, knownCodes } from '../../domain/venue.ts';
import { EventsFile } from '../../fleet/events/events-file.ts';
import { ServedEvents } from './served-events.ts';
import type { EventsByHost } from '../../board/http/served-event.ts';
import type { MetricsSource } from '../../board/metrics/server-metrics.ts';
import type { EdgeSubscriber } from '../../fleet/relay/edge-subscriber.ts';
import type { NatsDeskLines } from '../../fleet/desk/nats-desk-lines.ts';
import type { FollowedEvent, Following } from '../../fleet/relay/followed-event.ts';
import { remoteDesk, screensOf } from './edge-desk.ts';
import type { EdgeConfig } from './fleet-config.ts';
import type { Overrides } from '../roles/triagem.ts';

/** What an edge serves, whether one event or many. */
export interface EdgeEvents extends Pick<MetricsSource, 'freshness' | 'viewers' | 'counts' | 'events'> {
  readonly byHost: EventsByHost;
  readonly notReadyReason: () => string | undefined;
  readonly warning: () => string | undefined;
  /** Further fields of `/readyz`. */
  readonly details: () => Readonly<Record<string, unknown>>;
  readonly close: () => void;
}

interface Options {
  readonly config: EdgeConfig;
  /** EVENTS_FILE. */
  readonly path: string;
  readonly webRoot: string;
  readonly relay: EdgeSubscriber;
  /** `undefined`: there are no desks. */
  readonly desks: NatsDeskLines | undefined;
  readonly log: Logger;
  readonly overrides: Overrides;
}

/** Serves the events of the present EVENTS_FILE. Each is followed from its first request until it leaves the file. */
export function serveEvents({ config, path, webRoot, relay, desks, log, overrides }: Options): EdgeEvents {
  const followed = new Map<string, FollowedEvent>();
  const file = new EventsFile({ path, log, onChange: (events) => served.update(events) });
  const served = new ServedEvents(
    {
      webRoot,
      email: config.dashboardEmail,
      dashboardKey: config.dashboardKey,
      deskKey: config.deskKey,
      timeZone: config.timeZone,
      demo: config.demo,
      fanOutLimits: overrides.fanOut,
      follow: ({ eventId, venue }, fanOut) => {
        const event = relay.follow(
          eventId,
          knownCodes(venue ?? DEFAULT_VENUE),
          screensOf(fanOut, desks !== undefined),
        );
        followed.set(eventId, event);
        return {
          desk: desks && remoteDesk(desks, event, { venue, demo: config.demo }),
          stop: () => {
            relay.unfollow(event);
            followed.delete(eventId);
          },
        };
      },
    },
    file.events,
  );
  const stale = (): FollowedEvent[] => [...followed.values()].filter(({ freshness }) => !freshness.live);
  return {
    byHost: served,
    notReadyReason: () => relay.unavailableReason,
    warning: () => [file.warning, describeStale(relay, stale())].filter(Boolean).join('. ') || undefined,
    details: () => ({
      follows: { ...longestAgo([...followed.values()]), counters: relay.answering() },
      events: { served: file.events.length, followed: followed.size, live: followed.size - stale().length },
    }),
    freshness: () => oldest(stale(), relay),
    viewers: served,
    events: { served: () => file.events.length, followed: () => followed.size, stale: () => stale().length },
    close: () => {
      file.stop();
      served.close();
    },
  };
}

/** Describes events that are not live though a counter is. */
function describeStale(relay: EdgeSubscriber, stale: readonly FollowedEvent[]): string | undefined {
  const [first] = stale;
  if (!first || relay.unavailableReason !== undefined) return undefined;
  const reason = relay.notReadyReason(first);
  if (reason === undefined) return undefined;
  const others = stale.length > 1 ? ` and ${stale.length - 1} more` : '';
  return `Event ${first.eventId}${others} not live: ${reason}`;
}

/** Returns the event whose counts were verified the longest ago; `undefined` while none is followed. */
function longestAgo(
  events: readonly FollowedEvent[],
): (Following & { readonly eventId: string }) | undefined {
  const nowMs = performance.now();
  const all = events.map((event) => ({ eventId: event.eventId, ...event.following(nowMs) }));
  return all.toSorted((one, other) => other.ageMs - one.ageMs)[0];
}

function oldest(stale: readonly FollowedEvent[], relay: EdgeSubscriber): Freshness {
  const ages = stale.map(({ freshness }) => freshness).filter((freshness) => !freshness.live);
  const [first] = ages.toSorted((one, other) => one.verifiedAtMs - other.verifiedAtMs);
  if (first) return first;
  if (relay.unavailableReason === undefined) return { live: true };
  return { live: false, verifiedAtMs: performance.now(), reason: 'connecting' };
}
