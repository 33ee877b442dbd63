interface Failure {
  readonly sinceMs: number;
  readonly why: string;
  readonly status: number | undefined;
}

/** Knows whether pretix can be asked at all, and logs when that changes. */
export class PretixWatch {
  readonly #log: (line: string) => void;
  #failure: Failure | undefined;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /** Notes what any other question would get, too; `status` is undefined where there was no answer. */
  failed(why: string, status?: number): void {
    const before = this.#failure;
    this.#failure = { sinceMs: before?.sinceMs ?? Date.now(), why, status };
    if (!before || fixOf(before) !== fixOf(this.#failure)) this.#log(`${this.warning}.`);
  }

  /** A team that may check in, and not view orders, may read a check-in list: that answer ends no 403. */
  answered(isOfList: boolean): void {
    if (!this.#failure || (isOfList && this.#failure.status === 403)) return;
    this.#failure = undefined;
    this.#log('Check-ins of pretix are taken again.');
  }

  /** Names cause and fix; undefined while check-ins are taken, as far as is known. */
  get warning(): string | undefined {
    if (!this.#failure) return undefined;
    const since = new Date(this.#failure.sinceMs).toISOString();
    return `Check-ins of pretix have not been taken since ${since}: ${this.#failure.why}. ${fixOf(this.#failure)}`;
  }
}

function fixOf({ status }: Failure): string {
  return status === 401 || status === 403
    ? 'GATES_PRETIX_TOKEN must be of a team that may view the orders of the event in GATES_PRETIX_URL'
    : 'Bring pretix back, or correct GATES_PRETIX_URL';
}
