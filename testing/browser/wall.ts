import { join } from 'node:path';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { IncompleteCount } from '../../domain/event-state.ts';
import type { NamedEvent } from '../../fleet/events/read-events-file.ts';
import { namedEvent, startEventsApp } from '../fleet/events-app.ts';
import { PROJECT_ROOT } from '../project-root.ts';

/** The built page of the wall over its real HTTP and stream, without a database: the test says what is counted. */
export interface Wall {
  readonly url: string;
  /** Tickets that have entered, by code. */
  count(byCode: Readonly<Record<string, number>>): void;
  /** A desk says which counts are not whole and since when an evacuation holds, once a screen is there. */
  sayIncomplete(incomplete: readonly IncompleteCount[], evacuatedAtMs?: number | null): void;
  /** From now on the event has this venue, title or time zone; what it counts stays. */
  serve(event: Partial<NamedEvent>): void;
}

export async function startWall(
  byCode: Readonly<Record<string, number>>,
  event: Partial<NamedEvent> = {},
): Promise<Wall> {
  const named = (more: Partial<NamedEvent>) => namedEvent(DEFAULT_EVENT_ID, '127.0.0.1', more);
  const app = await startEventsApp([named(event)], { webRoot: join(PROJECT_ROOT, 'build/web') });
  app.count(DEFAULT_EVENT_ID, byCode);
  return {
    url: app.url,
    count: (counts) => app.count(DEFAULT_EVENT_ID, counts),
    sayIncomplete: (...said) => app.sayIncomplete(DEFAULT_EVENT_ID, ...said),
    serve: (more) => app.events.update([named(more)]),
  };
}
