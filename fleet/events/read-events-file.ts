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
  type ReportFault,
} from '../../domain/json-file.ts';
import type { Venue } from '../../domain/venue.ts';

export interface NamedEvent {
  readonly eventId: string;
  /** The host names under which it is served, in lower case, without a port; one at least. */
  readonly hosts: readonly string[];
  readonly title: string | undefined;
  /** `undefined`: the default venue. */
  readonly venue: Venue | undefined;
  /** An IANA name; `undefined`: the venue's, else that of the settings. */
  readonly timeZone: string | undefined;
}

/** Several times the size of MAX_EVENTS. */
export const MAX_EVENTS_FILE_BYTES = 8_000_000;

const MAX_EVENTS = 10_000;

/**
 * Reads an events file: strict JSON, an object in which each host name has its event. `readVenueFile` reads the file that
 * `venueFile` names, once for each name; it throws a JsonFileError where that is no venue.
 *
 * @throws JsonFileError that names every fault.
 */
export function readEvents(text: string, readVenueFile: (path: string) => Venue): NamedEvent[] {
  const venues = rememberVenues(readVenueFile);
  return readJsonFile(text, (root, report) => {
    const byId = new Map<string, Named>();
    const hosts = new Set<string>();
    for (const { name, value } of readHosts(root, report)) {
      const host = String(name.value).toLowerCase();
      const label = quote(host);
      const fault = faultOfHost(host);
      if (fault !== undefined) report(name, `${label} ${fault}`);
      if (hosts.has(host)) report(name, `${label} is there twice: a name is that of one event`);
      hosts.add(host);
      const event = readEvent(value, label, report, venues);
      const same = byId.get(event.eventId);
      if (!same || event.eventId === '') byId.set(event.eventId, { ...event, hosts: [host] });
      else {
        const other = SAME_UNDER_EACH_HOST.find((key) => same[key] !== event[key]);
        if (other)
          report(
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

interface EventFields {
  readonly eventId: string;
  readonly title: string | undefined;
  readonly venueFile: string | undefined;
  readonly timeZone: string | undefined;
}

/** An event may have several hosts; these fields must then be the same under each. */
const SAME_UNDER_EACH_HOST = [
  'title',
  'venueFile',
  'timeZone',
] as const satisfies readonly (keyof EventFields)[];

interface Named extends EventFields {
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

function readHosts(root: Node, report: ReportFault): HostNode[] {
  const pairs = root.type === 'object' ? (root.children ?? []) : [];
  if (pairs.length === 0 || pairs.length > MAX_EVENTS) {
    const found = root.type === 'object' ? `names ${pairs.length} hosts` : `is ${describe(root)}`;
    report(root, `the file ${found}: give an object with 1 to ${MAX_EVENTS} host names, each with its event`);
    return [];
  }
  return pairs.flatMap(({ children: [name, value] = [] }) => (name && value ? [{ name, value }] : []));
}

function readEvent(node: Node, label: string, report: ReportFault, venues: ReadVenue): EventFields {
  const read = readFields(node, label, ['eventId'], ['title', 'venueFile', 'timeZone'], report);
  return {
    eventId: read('eventId', '', readEventId),
    title: read<string | undefined>('title', undefined, readTitle),
    venueFile: read<string | undefined>('venueFile', undefined, (value, key, reportOf) => {
      const path = readText(value, key, reportOf);
      const { faults } = path === '' ? { faults: [] } : venues(path);
      for (const fault of faults) reportOf(value, `${key} is ${quote(path)}: ${fault}`);
      return path;
    }),
    timeZone: read<string | undefined>('timeZone', undefined, readTimeZone),
  };
}

function readTitle(node: Node, label: string, report: ReportFault): string {
  const title = readText(node, label, report);
  const fault = title === '' ? undefined : titleFault(title);
  if (fault !== undefined) report(node, `${label} ${fault}`);
  return title.trim();
}

function readEventId(node: Node, label: string, report: ReportFault): string {
  const id = readText(node, label, report);
  if (id === '' || isDocumentId(id)) return oneEventId(id);
  report(node, `${label} is ${quote(id)}: give ${DOCUMENT_ID_FORM}`);
  return '';
}

const LABEL = /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/;
const IPV6 = /^\[[\da-f:.]+\]$/;

/** Returns what is wrong with a host name in lower case; `undefined`: nothing. */
function faultOfHost(host: string): string | undefined {
  if (host.length <= 253 && (IPV6.test(host) || host.split('.').every((label) => LABEL.test(label))))
    return undefined;
  if (/:\d+$/.test(host)) return 'has a port: leave it out, an event is served under its name on every port';
  if (/\P{ASCII}/u.test(host))
    return 'has letters that no host name has: write it as browsers send it, with xn--';
  return 'is no host name: give one as "jogo.exemplo.com.br", without a scheme or a path';
}
