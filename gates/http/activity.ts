import { isEventId } from '../../domain/event.ts';
import type { Summary } from './apply-messages.ts';

type Counts = Record<'requests' | 'refused' | 'applied' | 'created' | 'unchanged' | 'older', number>;

const EVERY_MS = 60_000;

/** Says each minute what was done, by event: a line for each request would be thousands in a second. */
export class Activity {
  readonly #byEvent = new Map<string, Counts>();
  readonly #say: (line: string) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(say: (line: string) => void, everyMs = EVERY_MS) {
    this.#say = say;
    this.#timer = setInterval(() => this.#tell(), everyMs).unref();
  }

  note(eventId: string, { applied, created, unchanged, older }: Summary): void {
    const counts = this.#of(eventId);
    counts.requests += 1;
    counts.applied += applied;
    counts.created += created;
    counts.unchanged += unchanged;
    counts.older += older;
  }

  noteRefused(eventId: string): void {
    if (!isEventId(eventId)) return;
    const counts = this.#of(eventId);
    counts.requests += 1;
    counts.refused += 1;
  }

  /** Says what has not been said yet. */
  stop(): void {
    clearInterval(this.#timer);
    this.#tell();
  }

  #of(eventId: string): Counts {
    const known = this.#byEvent.get(eventId);
    if (known) return known;
    const counts = { requests: 0, refused: 0, applied: 0, created: 0, unchanged: 0, older: 0 };
    this.#byEvent.set(eventId, counts);
    return counts;
  }

  #tell(): void {
    for (const [eventId, counts] of this.#byEvent) {
      const done = Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []));
      this.#say(`event ${eventId}: ${done.join(', ')}`);
    }
    this.#byEvent.clear();
  }
}
