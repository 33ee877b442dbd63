/** Tickets by their keys, each as text: 'valid, not entered, sector 4'. */
export type TicketTexts = ReadonlyMap<string, string>;

/** One row of a query of tickets. */
export interface TicketRow {
  readonly key: string;
  readonly isValid: boolean;
  readonly entered: boolean;
  readonly setor: string;
}

/** A ticket that differs; `undefined` where it is missing. */
interface TicketDifference {
  readonly key: string;
  readonly there: string | undefined;
  readonly here: string | undefined;
}

/** The tickets of a source, and those of them that differ here. */
export interface TicketComparison {
  readonly tickets: number;
  readonly entered: number;
  readonly differences: readonly TicketDifference[];
}

/** A source of tickets, and a database that follows it. */
interface ComparedTickets {
  readonly readThere: () => Promise<TicketTexts>;
  readonly readHere: () => Promise<TicketTexts>;
  /** Resolves once everything that was committed there before is committed here. */
  readonly untilHere: () => Promise<void>;
}

/** Tickets that change all the time are looked at so often. */
const ROUNDS = 10;

/**
 * Compares the tickets of a source with ours while both change. A ticket differs where it was the same there before and after
 * it was read here, after everything that was committed before had come here; and that twice in a row.
 */
export async function compareTickets({
  readThere,
  readHere,
  untilHere,
}: ComparedTickets): Promise<TicketComparison> {
  let known = new Map<string, string>();
  for (let round = 1; ; round += 1) {
    const before = await readThere();
    await untilHere();
    const found = await readHere();
    const after = await readThere();
    const keys = [...new Set([...before.keys(), ...found.keys()])];
    const differing = keys.filter(
      (key) => before.get(key) !== found.get(key) && after.get(key) !== found.get(key),
    );
    const settled = differing.filter((key) => before.get(key) === after.get(key));
    const differences = settled.map((key) => ({ key, there: before.get(key), here: found.get(key) }));
    const now = new Map(differences.map((one) => [one.key, `${one.there} ${one.here}`]));
    const isSettled =
      differing.length === settled.length && [...now].every(([key, both]) => known.get(key) === both);
    if (isSettled || round === ROUNDS) {
      const entered = [...after.values()].filter((text) => text.includes(', entered')).length;
      return { tickets: after.size, entered, differences };
    }
    known = now;
  }
}

export function ticketTexts(rows: readonly TicketRow[]): TicketTexts {
  return new Map(
    rows.map(({ key, isValid, entered, setor }) => [
      key,
      `${isValid ? 'valid' : 'not valid'}, ${entered ? 'entered' : 'not entered'}, sector ${setor}`,
    ]),
  );
}

/** Returns the columns of a `TicketRow` from a query that has `key`, `is_valid_ticket`, `entrou` and `setor`. */
export function selectTickets(query: string): string {
  return `select key, is_valid_ticket as "isValid", entrou as entered, setor from (${query}) t`;
}
