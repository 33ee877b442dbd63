import { setTimeout as sleep } from 'node:timers/promises';
import { GATES_OPEN_MINUTE } from './arrival-curve.ts';
import { type GateEvent, scheduleGateEvents } from './gate-schedule.ts';
import { describeIncident, type Incident } from './incidents.ts';
import { Progress } from '../cli/progress.ts';
import type { SimulatedTicket } from './simulated-tickets.ts';

/** Commits that the holders of these tickets enter, or that their entries are taken back; returns how many tickets it changed. */
export type MarkTickets = (ids: readonly string[], entrou: boolean) => Promise<number>;

export interface LetInOptions {
  readonly tickets: readonly SimulatedTicket[];
  /** Times faster than real life. */
  readonly speed: number;
  readonly incidents: readonly Incident[];
  /** How many commits may be under way at the same time. */
  readonly writers: number;
  readonly onGatesOpen: () => void;
  readonly stopped: AbortSignal;
}

const MOST_IN_COMMIT = 1_000;
const TICK_MS = 20;

/** Opens the gates now. Returns how many are in at the end, of those that came here. */
export async function letIn(
  mark: MarkTickets,
  { tickets, speed, incidents, writers, onGatesOpen, stopped }: LetInOptions,
): Promise<number> {
  const events = scheduleGateEvents(tickets, Math.random, incidents);
  const openedMs = performance.now();
  onGatesOpen();
  const minuteNow = (): number => GATES_OPEN_MINUTE + ((performance.now() - openedMs) * speed) / 60_000;
  const progress = new Progress();
  const toTell = incidents.toSorted((a, b) => startOf(a) - startOf(b));
  let next = 0;
  let entered = 0;

  /** What is due: a lot whole, else a share of it for each writer; all of one kind. */
  function takeGroup(): GateEvent[] {
    const minute = minuteNow();
    const first = events[next];
    if (!first || first.minute > minute) return [];
    let end = next;
    while (
      (events[end]?.minute ?? Infinity) <= minute &&
      (first.isLot || end - next < MOST_IN_COMMIT * writers)
    )
      end += 1;
    const share = first.isLot ? end - next : Math.ceil((end - next) / writers);
    const group = events.slice(next, next + share);
    const other = group.findIndex(({ entrou, isLot, minute: at }) => {
      return entrou !== first.entrou || isLot !== first.isLot || (isLot && at !== first.minute);
    });
    const alike = other === -1 ? group : group.slice(0, other);
    next += alike.length;
    return alike;
  }

  function tellIncidents(): void {
    for (let incident = toTell[0]; incident && startOf(incident) <= minuteNow(); incident = toTell[0]) {
      toTell.shift();
      progress.end();
      process.stdout.write(`${clock(startOf(incident))}: ${describeIncident(incident)}\n`);
    }
  }

  async function write(): Promise<void> {
    while (next < events.length && !stopped.aborted) {
      tellIncidents();
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

/** One without a minute holds from the beginning. */
function startOf(incident: Incident): number {
  return incident.kind === 'late' ? GATES_OPEN_MINUTE : incident.minute;
}

/** '75 min to kick-off'. */
function clock(minute: number): string {
  return `${Math.abs(Math.ceil(minute))} min ${minute < 0 ? 'to' : 'after'} kick-off`;
}
