import { readMapped } from '../read-body.ts';
import { unavailable } from '../refusal.ts';
import type { RequestOutcome } from '../request-outcome.ts';
import { type Intake, writeBody } from '../ticket-route.ts';
import {
  askIfThere,
  askInTime,
  type AskedPretix,
  type CheckinList,
  type Pretix,
  type PretixOrder,
  type PretixPosition,
  readList,
} from './pretix-api.ts';

const GATE = 'pretix';
/** Beyond so many orders that are asked for or wait, a webhook is answered 503, and pretix sends it again. */
const MAX_ORDERS = 50;
/** The check-in list is read again after so long: its settings may have changed right before a webhook. */
const LIST_FOR_MS = 1_000;
/** So many orders that pretix has no more are named in the log: whoever has the key can make up others. */
const MAX_NAMED = 100;

interface Waiting {
  mayCreate: boolean;
  readonly done: Promise<RequestOutcome>;
}

/** Makes tickets what pretix says of them. */
export class PretixOrders {
  readonly #pretix: Pretix;
  readonly #intake: Intake;
  /** By order, the end of the question under way; it never rejects. */
  readonly #running = new Map<string, Promise<void>>();
  /** By order, the question after it, which all webhooks share that have come since. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #gone = new Set<string>();
  readonly #log: (line: string) => void;
  #list: { readonly readAtMs: number; readonly answer: Promise<CheckinList> } | undefined;

  constructor(pretix: Pretix, intake: Intake, log: (line: string) => void) {
    this.#pretix = pretix;
    this.#intake = intake;
    this.#log = log;
  }

  /**
   * Asks pretix for an order, and writes all of its tickets. Resolves after the commit. Of one order, one question follows
   * the other, so that the last one written is the last one asked. An order that pretix has no more changes nothing.
   *
   * @throws Refusal where pretix does not answer, nothing can be written, or some positions cannot be read: the others are
   * written.
   */
  refresh(code: string, mayCreate: boolean): Promise<RequestOutcome> {
    const waiting = this.#waiting.get(code);
    if (waiting) {
      waiting.mayCreate ||= mayCreate;
      return waiting.done;
    }
    if (this.#running.size + this.#waiting.size >= MAX_ORDERS) {
      return Promise.reject(unavailable('Too many orders of pretix are being asked for.'));
    }
    const before = this.#running.get(code);
    if (!before) return this.#run(code, mayCreate);
    const next: Waiting = {
      mayCreate,
      done: before.then(() => {
        this.#waiting.delete(code);
        return this.#run(code, next.mayCreate);
      }),
    };
    this.#waiting.set(code, next);
    return next.done;
  }

  #run(code: string, mayCreate: boolean): Promise<RequestOutcome> {
    const done = this.#askAndWrite(code, mayCreate);
    const end = (): void => void this.#running.delete(code);
    this.#running.set(code, done.then(end, end));
    return done;
  }

  async #askAndWrite(code: string, mayCreate: boolean): Promise<RequestOutcome> {
    const { eventId, list: listId } = this.#pretix;
    const read = await askInTime(this.#pretix, async (pretix) => {
      const list = await this.#readList(pretix);
      // The webhook has no time: what pretix answers was so at this instant, or later.
      const at = new Date().toISOString();
      const order = await askIfThere<PretixOrder>(pretix, `orders/${code}/?include_canceled_positions=true`);
      if (order === undefined) return this.#passBy(code);
      return readAsDocumented(() =>
        order.positions.flatMap((position) => {
          if (!isAsDocumented(position)) return [undefined];
          if (!isOnList(position, list)) return [];
          return {
            id: position.secret,
            isValidTicket: isValid(order, position, list),
            entrou: hasEntered(position, listId),
            setor: mayCreate ? String(position.item) : undefined,
            gate: GATE,
            at,
          };
        }),
      );
    });
    const messages = read.filter((message) => message !== undefined);
    const body = await readMapped(messages);
    const outcome = await writeBody(this.#intake, body, { eventId, mayCreate, address: GATE });
    if (messages.length === read.length) return outcome;
    const others = messages.length === 0 ? 'Nothing was changed.' : 'The others are written.';
    throw unavailable(`A position of order ${code} has another form than its documentation. ${others}`);
  }

  #readList(pretix: AskedPretix): Promise<CheckinList> {
    const now = performance.now();
    if (this.#list && now - this.#list.readAtMs < LIST_FOR_MS) return this.#list.answer;
    const answer = readList(pretix);
    this.#list = { readAtMs: now, answer };
    return answer.catch((error: unknown) => {
      this.#list = undefined;
      throw error;
    });
  }

  #passBy(code: string): [] {
    if (!this.#gone.has(code) && this.#gone.size < MAX_NAMED) {
      this.#gone.add(code);
      const isLast = this.#gone.size === MAX_NAMED;
      this.#log(
        `pretix has no order ${code} any more. Its tickets stay: "cancel --id" takes one out.` +
          (isLast ? ` These are ${MAX_NAMED} orders: no other is named until "listen" starts again.` : ''),
      );
    }
    return [];
  }
}

/** @throws Refusal 503 where the answer lacks what its documentation promises. */
function readAsDocumented<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw unavailable('The answer of pretix has another form than its documentation. Nothing was changed.');
  }
}

function isAsDocumented(position: Partial<PretixPosition> | null): boolean {
  const { item, secret, checkins } = position ?? {};
  return (
    typeof item === 'number' &&
    typeof secret === 'string' &&
    Array.isArray(checkins) &&
    checkins.every((checkin) => Number.isFinite(Date.parse(checkin?.datetime)))
  );
}

function isOnList({ item, subevent }: PretixPosition, list: CheckinList): boolean {
  const isOfDate = typeof list.subevent !== 'number' || subevent === list.subevent;
  return isOfDate && (list.all_products || list.limit_products.includes(item));
}

function isValid(
  { status, valid_if_pending }: PretixOrder,
  { canceled, blocked }: PretixPosition,
  { include_pending }: CheckinList,
): boolean {
  const isPaid =
    status === 'p' || (status === 'n' && (valid_if_pending === true || include_pending === true));
  return isPaid && canceled !== true && (blocked ?? []).length === 0;
}

/** Of one list, the last check-in decides. */
function hasEntered({ checkins }: PretixPosition, list: number): boolean {
  const last = checkins
    .filter((checkin) => checkin.list === list)
    .toSorted((one, other) => Date.parse(one.datetime) - Date.parse(other.datetime) || one.id - other.id)
    .at(-1);
  return last !== undefined && last.type !== 'exit';
}
