import { OBSERVED_COLUMNS } from './catalogue.ts';
import { ObservingFault } from './observing-fault.ts';
import type { PgoutputMessage, Relation, Tuple } from './pgoutput.ts';
import type { FeedObserver, ObservedTicket } from './ticket-feed.ts';

/** Where each observed column stands in a tuple. */
type Columns = Readonly<Record<(typeof OBSERVED_COLUMNS)[number], number>>;

/** Turns the messages of one replication stream into what a FeedObserver is told. */
export class TicketDecoder {
  readonly #observer: Pick<FeedObserver, 'change' | 'truncate' | 'commit'>;
  readonly #sectorsChanged: () => void;
  #tickets: { readonly id: number; readonly columns: Columns } | undefined;
  #sectorsId: number | undefined;
  #touchesSectors = false;

  /** `sectorsChanged` is called after a commit that touched the sector documents. */
  constructor(observer: Pick<FeedObserver, 'change' | 'truncate' | 'commit'>, sectorsChanged: () => void) {
    this.#observer = observer;
    this.#sectorsChanged = sectorsChanged;
  }

  /** Throws an ObservingFault when a table no longer says what a change needs. */
  decode(message: PgoutputMessage): void {
    switch (message.kind) {
      case 'relation':
        this.#describe(message.relation);
        break;
      case 'commit':
        this.#observer.commit();
        if (this.#touchesSectors) this.#sectorsChanged();
        this.#touchesSectors = false;
        break;
      case 'truncate':
        if (this.#tickets && message.relationIds.includes(this.#tickets.id)) this.#observer.truncate();
        if (message.relationIds.some((id) => id === this.#sectorsId)) this.#touchesSectors = true;
        break;
      case 'insert':
      case 'update':
      case 'delete':
        this.#decodeRow(message);
        break;
      case 'begin':
      case 'other':
        break;
    }
  }

  #decodeRow(message: Extract<PgoutputMessage, { relationId: number }>): void {
    if (message.relationId === this.#sectorsId) {
      this.#touchesSectors = true;
      return;
    }
    if (message.relationId !== this.#tickets?.id) return;
    const { columns } = this.#tickets;
    // An update without the old key left all observed columns as they were.
    if (message.kind === 'update' && message.before === undefined) return;
    const before = message.kind === 'insert' ? undefined : message.before;
    const after = message.kind === 'delete' ? undefined : message.after;
    this.#observer.change({
      before: before && readTicket(columns, before),
      after: after && readTicket(columns, after, before),
    });
  }

  #describe(relation: Relation): void {
    if (relation.schema !== 'public') return;
    if (relation.table === 'sectors') this.#sectorsId = relation.id;
    if (relation.table !== 'tickets') return;
    const columns = OBSERVED_COLUMNS.map((name) => {
      const index = relation.columns.findIndex((column) => column.name === name);
      if (!relation.columns[index]?.isKey) {
        throw new ObservingFault(
          `The replica identity of public.tickets lacks the column ${name}: run \`npm run migrate\``,
          { canPass: false },
        );
      }
      return [name, index];
    });
    this.#tickets = { id: relation.id, columns: Object.fromEntries(columns) as Columns };
  }
}

/** A value that the new row leaves out, because it is large and unchanged, is that of `old`. */
function readTicket(columns: Columns, tuple: Tuple, old?: Tuple): ObservedTicket {
  const value = (name: keyof Columns): string => {
    const index = columns[name];
    const text = tuple[index] === undefined ? old?.[index] : tuple[index];
    if (text === undefined || text === null) {
      throw new ObservingFault(`A change of a ticket came without its column ${name}`, { canPass: true });
    }
    return text;
  };
  return {
    eventId: value('event_id'),
    isValidTicket: value('is_valid_ticket') === 't',
    entrou: value('entrou') === 't',
    setor: value('setor'),
  };
}
