import { readMapped } from '../read-body.ts';
import { unavailable } from '../refusal.ts';
import type { RequestOutcome } from '../request-outcome.ts';
import { type Intake, writeBody } from '../ticket-route.ts';
import { askPretix, type Pretix, type PretixOrder, type PretixPosition } from './pretix-api.ts';

const GATE = 'pretix';
/** Beyond so many orders that are asked for or wait, a webhook is answered 503, and pretix sends it again. */
const MAX_ORDERS = 50;
/** The products of the check-in list are read again after so long. */
const PRODUCTS_FOR_MS = 60_000;

interface CheckinList {
  readonly all_products: boolean;
  readonly limit_products: readonly number[];
}

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
  #list: { readonly readAtMs: number; readonly answer: Promise<CheckinList> } | undefined;

  constructor(pretix: Pretix, intake: Intake) {
    this.#pretix = pretix;
    this.#intake = intake;
  }

  /**
   * Asks pretix for an order, and writes all of its tickets. Resolves after the commit. Of one order, one question follows
   * the other, so that the last one written is the last one asked.
   *
   * @throws Refusal where pretix does not answer, or nothing can be written.
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
    const { eventId, list } = this.#pretix;
    const products = await this.#readList();
    // The webhook has no time: what pretix answers was so at this instant, or later.
    const at = new Date().toISOString();
    const order = await askPretix<PretixOrder>(
      this.#pretix,
      `orders/${code}/?include_canceled_positions=true`,
    );
    const messages = readAsDocumented(() => {
      const positions = order.positions.filter(
        ({ item }) => products.all_products || products.limit_products.includes(item),
      );
      return positions.map((position) => ({
        id: position.secret,
        isValidTicket: isValid(order, position),
        entrou: hasEntered(position, list),
        setor: mayCreate ? String(position.item) : undefined,
        gate: GATE,
        at,
      }));
    });
    return writeBody(this.#intake, await readMapped(messages), { eventId, mayCreate, address: GATE });
  }

  #readList(): Promise<CheckinList> {
    const now = performance.now();
    if (this.#list && now - this.#list.readAtMs < PRODUCTS_FOR_MS) return this.#list.answer;
    const answer = askPretix<CheckinList>(this.#pretix, `checkinlists/${this.#pretix.list}/`);
    this.#list = { readAtMs: now, answer };
    return answer.catch((error: unknown) => {
      this.#list = undefined;
      throw error;
    });
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

function isValid({ status, valid_if_pending }: PretixOrder, { canceled, blocked }: PretixPosition): boolean {
  const isPaid = status === 'p' || (status === 'n' && valid_if_pending === true);
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
