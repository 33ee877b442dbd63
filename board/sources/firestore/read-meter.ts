/** What Firestore bills as document reads: each document that it sends, and what queries cost that send none. */
export class ReadMeter {
  readonly #counts = { tickets: 0, others: 0, probes: 0, checks: 0 };

  get total(): number {
    const { tickets, others, probes, checks } = this.#counts;
    return tickets + others + probes + checks;
  }

  /** The reads by purpose. */
  get counts(): Readonly<Record<'tickets' | 'others' | 'probes' | 'checks', number>> {
    return { ...this.#counts };
  }

  document(isTicket: boolean): void {
    this.#counts[isTicket ? 'tickets' : 'others'] += 1;
  }

  /** A query without a result costs one read. */
  probe(): void {
    this.#counts.probes += 1;
  }

  /** A count costs one read for each thousand index entries that match, and one at least. */
  count(matching: number): void {
    this.#counts.checks += Math.max(1, Math.ceil(matching / 1_000));
  }
}
