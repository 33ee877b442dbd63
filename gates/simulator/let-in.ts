import { setTimeout as sleep } from 'node:timers/promises';
import { GATES_OPEN_MINUTE } from './arrival-curve.ts';
import { type GateEvent, scheduleGateEvents } from './gate-schedule.ts';
import { describeIncident, type Incident } from './incidents.ts';
import { Progress } from '../cli/progress.ts';
import type { SimulatedTicket } from './simulated-tickets.ts';

/** Marks tickets in one commit. Returns how many tickets it changed. */
export type MarkTickets = (ids: readonly string[], entrou: boolean) => Promise<number>;

export interface LetInOptions {
  readonly tickets: readonly SimulatedTicket[];
  /** A factor: 1 is real time. */
  readonly speed: number;
  readonly incidents: readonly Incident[];
  /** Limits concurrent commits. */
  readonly writers: number;
  readonly onGatesOpen: () => void;
  readonly stopped: AbortSignal;
}

const MOST_IN_COMMIT = 1_000;
const TICK_MS = 20;

/** Opens the gates now. Returns how many tickets have entered at the end. */
export async function letIn(
  mark: MarkTickets,
  { tickets, speed, incidents, writers, onGatesOpen, stopped }: LetInOptions,
): Promise<number> {
  const events = scheduleGateEvents(tickets, Math.random, incidents);
  const openedMs = performance.now();
  onGatesOpen();
  const minuteNow = (): number => GATES_OPEN_MINUTE + ((performance.now() - openedMs) * speed) / 60_000;
  const progress = new Progress();
  const upcoming = incidents.toSorted((a, b) => startOf(a) - startOf(b));
  let next = 0;
  let entered = 0;

  /** Returns due events of one kind: a late batch whole, else a share for each writer. */
  function takeGroup(): GateEvent[] {
    const minute = minuteNow();
    const first = events[next];
    if (!first || first.minute > minute) return [];
    let end = next;
    while (
      (events[end]?.minute ?? Infinity) <= minute &&
      (first.isLateBatch || end - next < MOST_IN_COMMIT * writers)
    )
      end += 1;
    const share = first.isLateBatch ? end - next : Math.ceil((end - next) / writers);
    const group = events.slice(next, next + share);
    const other = group.findIndex(
      ({ entrou, isLateBatch, minute: at }) =>
        entrou !== first.entrou || isLateBatch !== first.isLateBatch || (isLateBatch && at !== first.minute),
    );
    const alike = other === -1 ? group : group.slice(0, other);
    next += alike.length;
    return alike;
  }

  function printIncidents(): void {
    for (let incident = upcoming[0]; incident && startOf(incident) <= minuteNow(); incident = upcoming[0]) {
      upcoming.shift();
      progress.end();
      process.stdout.write(`${clock(startOf(incident))}: ${describeIncident(incident)}\n`);
    }
  }

  async function write(): Promise<void> {
    while (next < events.length && !stopped.aborted) {
      printIncidents();
      const group = takeGroup();
      const [first] = group;
      if (!first) {
        await sleep(TICK_MS);
        continue;
      }
      const ids = group.flatMap(({ ticket }) => tickets[ticket]?.id ?? []);
      const count = await mark(ids, first.entrou);
      entered += first.entrou ? count : -count;
      progress.show(() => `${clock(minuteNow())}  ${entered} in`);
    }
  }

  try {
    await Promise.all(Array.from({ length: writers }, write));
  } finally {
    progress.end();
  }
  return entered;
}

function startOf(incident: Incident): number {
  return incident.kind === 'late' ? GATES_OPEN_MINUTE : incident.minute;
}

/** Returns words such as '75 min to kick-off'. */
function clock(minute: number): string {
  return `${Math.abs(Math.ceil(minute))} min ${minute < 0 ? 'to' : 'after'} kick-off`;
}
