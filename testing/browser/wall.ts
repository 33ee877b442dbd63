import { join } from 'node:path';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { IncompleteCount } from '../../domain/event-state.ts';
import type { NamedEvent } from '../../fleet/events/read-events-file.ts';
import { namedEvent, startEventsApp } from '../fleet/events-app.ts';
import { PROJECT_ROOT } from '../project-root.ts';

/** The built page of the wall over its real HTTP and stream, with the test's counts instead of a database. */
export interface Wall {
  readonly url: string;
  /** Publishes the admissions by code. */
  count(byCode: Readonly<Record<string, number>>): void;
  /** Publishes the incomplete counts and the evacuation of a desk; a screen must be connected. */
  sayIncomplete(incomplete: readonly IncompleteCount[], evacuatedAtMs?: number | null): void;
  /** Changes the event's venue, title or time zone, and keeps its counts. */
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
    sayIncomplete: (...incomplete) => app.sayIncomplete(DEFAULT_EVENT_ID, ...incomplete),
    serve: (more) => app.events.update([named(more)]),
  };
}
