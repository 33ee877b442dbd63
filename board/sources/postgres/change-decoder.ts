import { oneEventId } from '../../../domain/event.ts';
import { RESTORE_MARK } from '../../../domain/restore-mark.ts';
import { type Catalogue, columnsInOrder } from './catalogue.ts';
import { OBSERVED_COLUMNS } from './contract.ts';
import { ReplicationError } from './replication-error.ts';
import type { PgoutputMessage, Relation, Tuple } from './pgoutput.ts';
import type { SectorDocuments } from './sector-documents.ts';
import type { ObservedTicket, SourceObserver } from '../ticket-source.ts';

type LoggedMessage = Extract<PgoutputMessage, { kind: 'message' }>;

/** Whether the transaction restores a backup. */
export function isRestoreMark(message: PgoutputMessage): message is LoggedMessage {
  return message.kind === 'message' && message.prefix === RESTORE_MARK;
}

/** Where each observed column stands in a tuple. */
type Columns = Readonly<Record<(typeof OBSERVED_COLUMNS)[number], number>>;

/** What the stream began with. */
type Tables = Pick<Catalogue, 'tickets' | 'sectors' | 'observedColumns'>;

type ChangeObserver = Pick<SourceObserver, 'change' | 'truncate' | 'restored' | 'commit' | 'sectorDocuments'>;

/** Turns the messages of one replication stream into notifications of a SourceObserver. */
export class ChangeDecoder {
  readonly #observer: ChangeObserver;
  readonly #sectors: SectorDocuments;
  readonly #catalogue: Tables;
  readonly #onDescribed: (transactionId: number) => void;
  #tickets: { readonly id: number; readonly columns: Columns } | undefined;
  /** The commit time of the transaction that is being read. */
  #madeAtMs = 0;
  #transactionId = 0;

  /**
   * `sectors` holds the documents as they were when the stream began. `onDescribed` is called where a transaction brings the
   * description of a table: it may have changed what is sent of it, and left changes out. The catalogue says so.
   */
  constructor(
    observer: ChangeObserver,
    sectors: SectorDocuments,
    catalogue: Tables,
    onDescribed: (transactionId: number) => void,
  ) {
    this.#observer = observer;
    this.#sectors = sectors;
    this.#catalogue = catalogue;
    this.#onDescribed = onDescribed;
  }

  /** @throws ReplicationError: a table no longer has what a change needs, or has, or had, another name */
  decode(message: PgoutputMessage): void {
    switch (message.kind) {
      case 'relation':
        this.#describe(message.relation);
        break;
      case 'commit':
        this.#observer.commit(message.endLsn);
        for (const [eventId, documents] of this.#sectors.commit())
          this.#observer.sectorDocuments(eventId, documents);
        break;
      case 'truncate':
        if (this.#tickets && message.relationIds.includes(this.#tickets.id))
          this.#observer.truncate(this.#madeAtMs);
        this.#sectors.truncate(message.relationIds);
        break;
      case 'insert':
      case 'update':
      case 'delete':
        if (message.relationId === this.#tickets?.id) this.#decodeTicket(message, this.#tickets.columns);
        else this.#sectors.apply(message);
        break;
      case 'message':
        if (isRestoreMark(message)) this.#observer.restored(message.content || undefined);
        break;
      case 'begin':
        this.#madeAtMs = message.madeAtMs;
        this.#transactionId = message.transactionId;
        break;
      case 'other':
        break;
    }
  }

  #decodeTicket(message: Extract<PgoutputMessage, { relationId: number }>, columns: Columns): void {
    // An update without the old key left all observed columns as they were.
    if (message.kind === 'update' && message.before === undefined) return;
    const before = message.kind === 'insert' ? undefined : message.before;
    const after = message.kind === 'delete' ? undefined : message.after;
    this.#observer.change(
      { before: before && readTicket(columns, before), after: after && readTicket(columns, after, before) },
      this.#madeAtMs,
    );
  }

  #describe(relation: Relation): void {
    this.#assertUnaltered(relation);
    this.#onDescribed(this.#transactionId);
    if (relation.schema !== 'public') return;
    if (relation.table === 'sectors') this.#sectors.describe(relation);
    if (relation.table !== 'tickets') return;
    const columns = OBSERVED_COLUMNS.map((name) => {
      const index = relation.columns.findIndex((column) => column.name === name);
      if (!relation.columns[index]?.isKey) {
        throw new ReplicationError(
          `The replica identity of public.tickets lacks the column ${name}: run \`npm run migrate\``,
          { shouldRetry: false },
        );
      }
      return [name, index];
    });
    this.#tickets = { id: relation.id, columns: Object.fromEntries(columns) as Columns };
  }

  /** The catalogue may be again what it was by the next look, while changes came under other names. */
  #assertUnaltered({ id, schema, table, columns }: Relation): void {
    const { tickets, sectors } = this.#catalogue;
    const is = (name: string): boolean => schema === 'public' && table === name;
    const isTickets = id === Number(tickets);
    if (!isTickets && id !== Number(sectors)) return;
    const names = columns.map(({ name }) => name).join();
    if (isTickets ? is('tickets') && names === columnsInOrder(this.#catalogue).join() : is('sectors')) return;
    throw new ReplicationError(
      `The table public.${isTickets ? 'tickets' : 'sectors'} was altered, and is read anew`,
      { shouldRetry: true },
    );
  }
}

/** A value that the new row leaves out, because it is large and unchanged, is that of `old`. */
function readTicket(columns: Columns, tuple: Tuple, old?: Tuple): ObservedTicket {
  const value = (name: keyof Columns): string => {
    const index = columns[name];
    const text = tuple[index] === undefined ? old?.[index] : tuple[index];
    if (text === undefined || text === null) {
      throw new ReplicationError(`A change of a ticket came without its column ${name}`, {
        shouldRetry: true,
      });
    }
    return text;
  };
  return {
    eventId: oneEventId(value('event_id')),
    isValidTicket: value('is_valid_ticket') === 't',
    entrou: value('entrou') === 't',
    setor: value('setor'),
  };
}
