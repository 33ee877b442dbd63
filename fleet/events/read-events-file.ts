import { DOCUMENT_ID_FORM, isDocumentId, oneEventId } from '../../domain/event.ts';
import { titleFault } from '../../domain/event-title.ts';
import {
  describe,
  JsonFileError,
  type Node,
  quote,
  readFields,
  readJsonFile,
  readText,
  readTimeZone,
  type TellFault,
} from '../../domain/json-file.ts';
import type { Venue } from '../../domain/venue.ts';

/** One event of an events file. */
export interface NamedEvent {
  readonly eventId: string;
  /** The names under which it is served, in lower case, without a port. Never empty. */
  readonly hosts: readonly string[];
  readonly title: string | undefined;
  /** `undefined`: the default venue. */
  readonly venue: Venue | undefined;
  /** An IANA name; `undefined`: the venue's, else that of the settings. */
  readonly timeZone: string | undefined;
}

/** Several times what the most events take. */
export const MAX_EVENTS_FILE_BYTES = 8_000_000;

const MAX_EVENTS = 10_000;

/**
 * Reads an events file: strict JSON, an object in which each host name has its event. `readVenueFile` reads what
 * `venueFile` names; it throws a JsonFileError where that is no venue, and is asked once for each name.
 *
 * @throws JsonFileError that names every fault.
 */
export function readEvents(text: string, readVenueFile: (path: string) => Venue): NamedEvent[] {
  const venues = rememberVenues(readVenueFile);
  return readJsonFile(text, (root, tell) => {
    const byId = new Map<string, Named>();
    const hosts = new Set<string>();
    for (const { name, value } of readHosts(root, tell)) {
      const host = String(name.value).toLowerCase();
      const label = quote(host);
      const fault = faultOfHost(host);
      if (fault !== undefined) tell(name, `${label} ${fault}`);
      if (hosts.has(host)) tell(name, `${label} is there twice: a name is that of one event`);
      hosts.add(host);
      const event = readEvent(value, label, tell, venues);
      const same = byId.get(event.eventId);
      if (!same || event.eventId === '') byId.set(event.eventId, { ...event, hosts: [host] });
      else {
        const other = SAID.find((key) => same[key] !== event[key]);
        if (other)
          tell(
            value,
            `${label} has another ${other} than ${quote(same.hosts[0] ?? '')}, which is the same event`,
          );
        same.hosts.push(host);
      }
    }
    return [...byId.values()].map(({ eventId, hosts: own, title, venueFile, timeZone }) => ({
      eventId,
      hosts: own,
      title,
      venue: venueFile === undefined ? undefined : venues(venueFile).venue,
      timeZone,
    }));
  });
}

interface Said {
  readonly eventId: string;
  readonly title: string | undefined;
  readonly venueFile: string | undefined;
  readonly timeZone: string | undefined;
}

/** An event may have several names; what is said of it must then be the same under each. */
const SAID = ['title', 'venueFile', 'timeZone'] as const satisfies readonly (keyof Said)[];

interface Named extends Said {
  readonly hosts: string[];
}

type ReadVenue = (path: string) => { readonly venue?: Venue; readonly faults: readonly string[] };

function rememberVenues(readVenueFile: (path: string) => Venue): ReadVenue {
  const known = new Map<string, ReturnType<ReadVenue>>();
  return (path) => {
    const found = known.get(path) ?? attempt(() => readVenueFile(path));
    known.set(path, found);
    return found;
  };
}

function attempt(read: () => Venue): ReturnType<ReadVenue> {
  try {
    return { venue: read(), faults: [] };
  } catch (error) {
    if (!(error instanceof JsonFileError)) throw error;
    return { faults: error.faults };
  }
}

interface HostNode {
  readonly name: Node;
  readonly value: Node;
}

function readHosts(root: Node, tell: TellFault): HostNode[] {
  const pairs = root.type === 'object' ? (root.children ?? []) : [];
  if (pairs.length === 0 || pairs.length > MAX_EVENTS) {
    const found = root.type === 'object' ? `names ${pairs.length} hosts` : `is ${describe(root)}`;
    tell(root, `the file ${found}: give an object with 1 to ${MAX_EVENTS} host names, each with its event`);
    return [];
  }
  return pairs.flatMap(({ children: [name, value] = [] }) => (name && value ? [{ name, value }] : []));
}

function readEvent(node: Node, label: string, tell: TellFault, venues: ReadVenue): Said {
  const read = readFields(node, label, ['eventId'], ['title', 'venueFile', 'timeZone'], tell);
  return {
    eventId: read('eventId', '', readEventId),
    title: read<string | undefined>('title', undefined, readTitle),
    venueFile: read<string | undefined>('venueFile', undefined, (value, key, tellOf) => {
      const path = readText(value, key, tellOf);
      const { faults } = path === '' ? { faults: [] } : venues(path);
      for (const fault of faults) tellOf(value, `${key} is ${quote(path)}: ${fault}`);
      return path;
    }),
    timeZone: read<string | undefined>('timeZone', undefined, readTimeZone),
  };
}

function readTitle(node: Node, label: string, tell: TellFault): string {
  const title = readText(node, label, tell);
  const fault = title === '' ? undefined : titleFault(title);
  if (fault !== undefined) tell(node, `${label} ${fault}`);
  return title.trim();
}

function readEventId(node: Node, label: string, tell: TellFault): string {
  const id = readText(node, label, tell);
  if (id === '' || isDocumentId(id)) return oneEventId(id);
  tell(node, `${label} is ${quote(id)}: give ${DOCUMENT_ID_FORM}`);
  return '';
}

const LABEL = /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/;
const IPV6 = /^\[[\da-f:.]+\]$/;

/** What is wrong with a name in lower case as that of a host; `undefined`: nothing is. */
function faultOfHost(host: string): string | undefined {
  if (host.length <= 253 && (IPV6.test(host) || host.split('.').every((label) => LABEL.test(label))))
    return undefined;
  if (/:\d+$/.test(host)) return 'has a port: leave it out, an event is served under its name on every port';
  if (/\P{ASCII}/u.test(host))
    return 'has letters that no host name has: write it as browsers send it, with xn--';
  return 'is no host name: give one as "jogo.exemplo.com.br", without a scheme or a path';
}
