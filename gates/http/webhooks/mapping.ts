/** Leads to a value in what a service sends: names between dots. */
type Path = string;

/** What an event says of a ticket. */
interface EventMapping {
  readonly id: Path;
  readonly entrou?: boolean;
  /** A value, or where a status stands and which one is that of a valid ticket. */
  readonly isValidTicket?: boolean | { readonly status: Path; readonly valid: string };
  /** Read only where tickets may be created: sectors that were imported stay as they are. */
  readonly setor?: Path;
}

/** Where a service's webhook has the fields of a message. */
export interface WebhookMapping {
  readonly gate: string;
  readonly type: Path;
  readonly at: Path;
  /** The check-in list, in events that have one. */
  readonly list: Path;
  /** By type. Other types say nothing of a ticket. */
  readonly events: Readonly<Record<string, EventMapping>>;
}

const ATTENDEE: EventMapping = {
  id: 'payload.public_id',
  isValidTicket: { status: 'payload.status', valid: 'ACTIVE' },
  setor: 'payload.product_id',
};

/** As in WebhookDispatchService.php and AttendeeCheckInResource.php of Hi.Events; docs/gates.md explains it. */
export const HI_EVENTS: WebhookMapping = {
  gate: 'Hi.Events',
  type: 'event_type',
  at: 'event_sent_at',
  list: 'payload.check_in_list_id',
  events: {
    'checkin.created': { id: 'payload.attendee.public_id', entrou: true },
    'checkin.deleted': { id: 'payload.attendee.public_id', entrou: false },
    'attendee.created': ATTENDEE,
    'attendee.updated': ATTENDEE,
    // It is sent before the status changes.
    'attendee.cancelled': { id: 'payload.public_id', isValidTicket: false },
  },
};

export interface MappingOptions {
  readonly mayCreate: boolean;
  /** The check-in lists that count; all of them where there are none. */
  readonly lists: readonly string[];
}

/** Returns the messages about tickets, unchecked: none where the event says nothing of one, or is of another list. */
export function mapWebhook(
  { gate, type, at, list, events }: WebhookMapping,
  sent: unknown,
  { mayCreate, lists }: MappingOptions,
): object[] {
  const name = read(sent, type);
  const event = typeof name === 'string' && Object.hasOwn(events, name) ? events[name] : undefined;
  if (!event) return [];
  const ofList = textOf(read(sent, list));
  if (lists.length > 0 && ofList !== undefined && lists.every((one) => one !== ofList)) return [];
  const setor = mayCreate && event.setor !== undefined ? textOf(read(sent, event.setor)) : undefined;
  return [
    {
      id: read(sent, event.id),
      entrou: event.entrou,
      isValidTicket: readValidity(sent, event.isValidTicket),
      setor,
      gate,
      // Without a time the message would always apply, also when it is sent again.
      at: read(sent, at) ?? '',
    },
  ];
}

/** Numbers of lists and products are texts here. */
function textOf(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}

function readValidity(sent: unknown, mapping: EventMapping['isValidTicket']): unknown {
  if (typeof mapping !== 'object') return mapping;
  const status = read(sent, mapping.status);
  return typeof status === 'string' ? status === mapping.valid : status;
}

/** Returns undefined where nothing stands there. */
function read(value: unknown, path: Path): unknown {
  let found = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}
