import type { EventDetails } from '../../domain/event-details.ts';
import { type IncompleteCount, type SectorDocument, STALE_REASONS } from '../../domain/event-state.ts';
import { isLogPosition } from '../../domain/log-position.ts';
import { MAX_CODES, type TallyCounts, type TicketCounts } from '../../domain/tally.ts';
import { isTimeZone } from '../../domain/time-zone.ts';
import { isNodeName, type StateAddress } from './subjects.ts';
import {
  type CountedPrimaries,
  type CountsMessage,
  type FreshnessAnswer,
  MAX_STATE_BYTES,
  type SliceMessage,
  type SliceVersion,
  type Sender,
  WIRE,
} from './wire.ts';

const MAX_SHORT_BYTES = 2_048;
/** JSON nested deeper cannot be serialized again. */
const MAX_DEPTH = 500;
const MAX_TITLE_LENGTH = 1_000;

const MAX_INCOMPLETE = 1_000;

const MAX_AGE_MS = 1e12;

export type Refusal = 'size' | 'form' | 'wire' | 'subject';

/** A message that is not accepted. It changes nothing here: the fault is the sender's. */
export class RefusedMessage extends Error {
  readonly refusal: Refusal;
  /** The version of the message, where that is the reason. */
  readonly wire: number | undefined;

  constructor(refusal: Refusal, message: string, wire?: number) {
    super(message);
    this.refusal = refusal;
    this.wire = wire;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads and checks what encodeState wrote; its content must name the `address` of its subject. @throws RefusedMessage
 */
export function decodeState(bytes: Uint8Array, address: StateAddress): CountsMessage | SliceMessage {
  const fields = parse(bytes, MAX_STATE_BYTES);
  const from = readSender(fields);
  if (
    from.counter !== address.counter ||
    fields['event'] !== address.eventId ||
    fields['part'] !== address.slice
  ) {
    throw new RefusedMessage('subject', 'its content names another subject');
  }
  const { eventId, slice } = address;
  const position = read(fields['position'], isPosition, 'position');
  const server = readServer(fields);
  if (slice === 'counts') {
    const epoch = read(fields['epoch'], isShortName, 'epoch');
    const version = read(fields['version'], isCount, 'version');
    const state = { kind: slice, eventId, epoch, version, position, ...readCounted(fields['counted']) };
    const versionOf = (name: 'details' | 'incomplete'): SliceVersion | undefined =>
      fields[name] === undefined ? undefined : readVersion(fields[name]);
    const documents = readVersion(fields['documents']);
    return {
      from,
      state,
      server,
      documents,
      details: versionOf('details'),
      incomplete: versionOf('incomplete'),
    };
  }
  const digest = readDigest(fields);
  if (slice === 'documents') {
    const documents = readDocuments(fields['documents']);
    return { from, state: { kind: slice, eventId, position, documents }, server, digest };
  }
  if (slice === 'incomplete') {
    const incomplete = readIncomplete(fields['incomplete']);
    const evacuatedAtMs = fields['evacuatedAtMs'] ?? null;
    if (evacuatedAtMs !== null && !isInstant(evacuatedAtMs)) throw malformed('evacuation');
    const state = {
      kind: slice,
      eventId,
      position,
      incomplete,
      ...(evacuatedAtMs !== null && { evacuatedAtMs }),
    };
    return { from, state, server, digest };
  }
  const details = fields['details'] === null ? undefined : readDetails(fields['details']);
  return { from, state: { kind: slice, eventId, position, details }, server, digest };
}

/** @throws RefusedMessage */
export function decodeAnswer(bytes: Uint8Array): FreshnessAnswer {
  const fields = parse(bytes, MAX_SHORT_BYTES);
  const position =
    fields['position'] === undefined ? undefined : read(fields['position'], isPosition, 'position');
  const live = read(fields['live'], (value) => typeof value === 'boolean', 'live');
  const ageMs = read(fields['ageMs'], isAge, 'ageMs');
  const atMs = fields['atMs'] === undefined ? undefined : read(fields['atMs'], isAge, 'atMs');
  const reason = STALE_REASONS.find((one) => one === fields['reason']);
  return {
    from: readSender(fields),
    position,
    live,
    ageMs,
    atMs,
    reason: live ? undefined : (reason ?? 'connecting'),
    server: readServer(fields),
  };
}

/** @throws RefusedMessage: the question is malformed, or of another version */
export function decodeAsk(bytes: Uint8Array): CountedPrimaries {
  const { primaries = {}, servers = {} } = parse(bytes, MAX_SHORT_BYTES);
  if (!isRecord(primaries) || !isRecord(servers)) throw malformed('primaries');
  const isTimeline = (value: unknown): value is string =>
    typeof value === 'string' && /^[\da-z]+\.[\dA-FR]+$/.test(value);
  return Object.fromEntries(
    Object.entries(primaries).map(([counter, timeline]) => {
      const server = Object.hasOwn(servers, counter)
        ? read(servers[counter], isShortName, 'servers')
        : undefined;
      return [
        read(counter, isNode, 'primaries'),
        { timeline: read(timeline, isTimeline, 'primaries'), server },
      ];
    }),
  );
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Uint8Array, maxBytes: number): Fields {
  if (bytes.length > maxBytes) {
    throw new RefusedMessage('size', `it has ${bytes.length} bytes, more than ${maxBytes}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    throw new RefusedMessage('form', 'it is no JSON');
  }
  if (!isRecord(value)) throw new RefusedMessage('form', 'it is no object');
  // Only own fields: nothing comes from a prototype.
  const fields: Fields = Object.assign(Object.create(null), value);
  const { wire } = fields;
  if (wire === WIRE) return fields;
  if (typeof wire !== 'number') throw new RefusedMessage('form', 'it has no wire version');
  throw new RefusedMessage('wire', `it has wire version ${wire}, and this process reads ${WIRE}`, wire);
}

function readServer(fields: Fields): string | undefined {
  return fields['server'] === undefined ? undefined : read(fields['server'], isShortName, 'server');
}

function readSender(fields: Fields): Sender {
  return {
    counter: read(fields['counter'], isNode, 'counter'),
    run: read(fields['run'], isShortName, 'run'),
  };
}

function readCounted(value: unknown): TallyCounts {
  if (!Array.isArray(value) || !Array.isArray(value[3]) || value[3].length > MAX_CODES)
    throw malformed('counted');
  const seen = new Set<string>();
  const codes = (value[3] as unknown[]).map((row) => {
    if (!Array.isArray(row) || typeof row[0] !== 'string' || seen.has(row[0])) throw malformed('counted');
    seen.add(row[0]);
    return Object.assign({ code: row[0] }, readNumbers(row.slice(1)));
  });
  const counts = { ...readNumbers(value), codes, rest: readNumbers(value[4]) };
  for (const key of ['tickets', 'admitted', 'valid'] as const) {
    const sum = codes.reduce((whole, code) => whole + code[key], counts.rest[key]);
    if (sum !== counts[key]) throw new RefusedMessage('form', `its ${key} do not add up`);
  }
  return counts;
}

function readNumbers(value: unknown): TicketCounts {
  const [tickets, admitted, valid] = Array.isArray(value) ? (value as unknown[]) : [];
  if (!isCount(tickets) || !isCount(admitted) || !isCount(valid)) throw malformed('counted');
  if (admitted > tickets || valid > tickets) throw malformed('counted');
  return { tickets, admitted, valid };
}

function readDocuments(value: unknown): SectorDocument[] {
  if (!Array.isArray(value)) throw malformed('documents');
  return value.map((document: unknown) => {
    if (!isRecord(document) || typeof document['code'] !== 'string' || !Object.hasOwn(document, 'data')) {
      throw malformed('documents');
    }
    if (!isShallow(document['data'])) throw malformed('documents');
    return { code: document['code'], data: document['data'] };
  });
}

/** It does not recurse, so that no depth exhausts the stack. */
function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return false;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return true;
}

function readDetails(value: unknown): EventDetails {
  if (!isRecord(value)) throw malformed('details');
  const { title, gatesOpenAtMs = null, kickOffAtMs = null, timeZone = null } = value;
  const isTime = (time: unknown): time is number | null => time === null || Number.isFinite(time);
  if (typeof title !== 'string' || title.length > MAX_TITLE_LENGTH) throw malformed('details');
  if (!isTime(gatesOpenAtMs) || !isTime(kickOffAtMs)) throw malformed('details');
  if (timeZone !== null && (typeof timeZone !== 'string' || !isTimeZone(timeZone)))
    throw malformed('details');
  return { title, gatesOpenAtMs, kickOffAtMs, timeZone };
}

function readIncomplete(value: unknown): IncompleteCount[] {
  if (!Array.isArray(value) || value.length > MAX_INCOMPLETE) throw malformed('incomplete');
  return value.map((one: unknown) => {
    if (!isRecord(one)) throw malformed('incomplete');
    const { row, fromMs, toMs } = one;
    if (row !== null && typeof row !== 'string') throw malformed('incomplete');
    if ([fromMs, toMs].some((atMs) => atMs !== null && !isInstant(atMs))) throw malformed('incomplete');
    return { row, fromMs: fromMs as number | null, toMs: toMs as number | null };
  });
}

function readVersion(value: unknown): SliceVersion {
  if (!isRecord(value)) throw malformed('version');
  return { position: read(value['position'], isPosition, 'position'), digest: readDigest(value) };
}

function readDigest({ digest }: Fields): string {
  return read(digest, isShortName, 'digest');
}

function read<T>(value: unknown, isShape: (value: unknown) => value is T, name: string): T {
  if (!isShape(value)) throw malformed(name);
  return value;
}

function malformed(name: string): RefusedMessage {
  return new RefusedMessage('form', `its ${name} is malformed`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Whether a Date can hold the value. */
function isInstant(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) < 8e15;
}

function isAge(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_AGE_MS;
}

function isPosition(value: unknown): value is string {
  return typeof value === 'string' && isLogPosition(value);
}

function isNode(value: unknown): value is string {
  return typeof value === 'string' && isNodeName(value);
}

function isShortName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value);
}
