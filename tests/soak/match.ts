import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { type GateEvent, scheduleGateEvents } from '../../gates/simulator/gate-schedule.ts';
import { DEFAULT_TICKETS, generateTickets } from '../../gates/simulator/simulated-tickets.ts';
import type { TotalHistory } from '../../testing/database/oracle.ts';

/**
 * Spectators that come in over the whole soak, whatever happens to the database; at an even pace, so that what grows, grows
 * with time and not with the rush before kick-off.
 */
export interface Match {
  readonly entered: number;
  /** Resolves once nothing is being written. */
  pause(): Promise<void>;
  resume(): void;
  stop(): Promise<void>;
}

const TICK_MS = 50;
const WRITERS = 4;
const RETRY_MS = 200;
const TICKETS = generateTickets(DEFAULT_EVENT_ID, DEFAULT_TICKETS);

/** All tickets of a sold-out stadium, nobody in it yet. */
export async function fillStadium(gates: postgres.Sql): Promise<void> {
  await gates`insert into events (id) values (${DEFAULT_EVENT_ID}) on conflict do nothing`;
  await gates`
    insert into tickets (event_id, id, is_valid_ticket, entrou, setor)
    select ${DEFAULT_EVENT_ID}, id, "isValid", false, setor
    from jsonb_to_recordset(${gates.json(TICKETS.map(({ id, isValid, setor }) => ({ id, isValid, setor })))}) as sold (id text, "isValid" boolean, setor text)`;
}

export function startMatch(gates: postgres.Sql, durationMs: number, history: TotalHistory): Match {
  const gateEvents = scheduleGateEvents(TICKETS, Math.random);
  const startedAtMs = performance.now();
  let next = 0;
  let [isBusy, isPaused, isStopped] = [false, false, false];
  let writing: Promise<unknown> = Promise.resolve();

  /** What is due and of one kind, shared among the writers. */
  function takeDue(): GateEvent[] {
    const due = Math.min(1, (performance.now() - startedAtMs) / durationMs) * gateEvents.length;
    const first = gateEvents[next];
    const from = next;
    while (next < due && gateEvents[next]?.entrou === first?.entrou) next += 1;
    return gateEvents.slice(from, next);
  }

  async function write(group: readonly GateEvent[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    const ids = group.map(({ ticket }) => TICKETS[ticket]?.id ?? '');
    const change = first.entrou ? group.length : -group.length;
    await history.write(change, async () => {
      // Whether a commit that got no answer was made is not known: the same again changes nothing more.
      while (!(await tryWrite(ids, first.entrou))) await sleep(RETRY_MS);
    });
    match.entered += change;
  }

  async function tryWrite(ids: readonly string[], entrou: boolean): Promise<boolean> {
    try {
      await gates`
        update tickets set entrou = ${entrou}
        where event_id = ${DEFAULT_EVENT_ID} and entrou <> ${entrou}
          and id = any (string_to_array(${ids.join(',')}, ','))`;
      return true;
    } catch (error) {
      // What a database says that is not there, is full, or goes away.
      const passes = !(error instanceof postgres.PostgresError) || /^(08|53|57)/.test(error.code);
      if (!passes) throw error;
      return isStopped;
    }
  }

  const timer = setInterval(() => {
    if (isBusy || isPaused) return;
    isBusy = true;
    const due = takeDue();
    const share = Math.ceil(due.length / WRITERS) || 1;
    const groups = Array.from({ length: WRITERS }, (_, writer) =>
      due.slice(writer * share, (writer + 1) * share),
    );
    writing = Promise.all(groups.map(write)).then(() => (isBusy = false));
    writing.catch(() => {});
  }, TICK_MS);

  const match = {
    entered: 0,
    async pause() {
      isPaused = true;
      await writing;
    },
    resume() {
      isPaused = false;
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await writing;
    },
  };
  return match;
}
