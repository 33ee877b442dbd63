import type { Venue } from '../../domain/venue.ts';
import { GATES_OPEN_MINUTE, LAST_ARRIVAL_MINUTE } from './arrival-curve.ts';
import { printable, quoteValue, UsageError } from '../cli/errors.ts';

/** A fault of a simulated match. Minutes are counted from kick-off, negative before it. */
export type Incident = SlowIncident | LateIncident | LotIncident | UnreadIncident;

/** For `minutes`, only `share` of those who would get in do so; with 0 nobody. The others get in afterwards. */
interface SlowIncident {
  readonly kind: 'slow';
  readonly sector: string;
  readonly minute: number;
  readonly minutes: number;
  readonly share: number;
}

/** All spectators come later. */
interface LateIncident {
  readonly kind: 'late';
  readonly minutes: number;
}

/** `count` entries of the half hour before are read at this minute, all at once: a late batch. */
interface LotIncident {
  readonly kind: 'lot';
  readonly sector: string;
  readonly minute: number;
  readonly count: number;
}

/** People enter from this minute on, and are not read. */
interface UnreadIncident {
  readonly kind: 'unread';
  readonly sector: string;
  readonly minute: number;
}

export const INCIDENT_GRAMMAR = `  stop:SECTOR@MINUTE+LENGTH        nobody gets in for LENGTH minutes: stop:7@-35+6
  slow:SECTOR@MINUTE+LENGTHxSHARE  only a share of those who come gets in: slow:4@-30+10x0.3
  late:LENGTH                      all spectators come later: late:12
  lot:SECTOR@MINUTExCOUNT          readings of the half hour before come all at once: lot:9@-20x400
  unread:SECTOR@MINUTE             from then on people enter and are not read: unread:8@-15
MINUTE is counted from kick-off: -35 is 35 minutes before it. Those whom a gate held get in afterwards.`;

const MINUTE = String.raw`@([+-]?\d+(?:\.\d+)?)`;
const NUMBER = String.raw`(\d+(?:\.\d+)?)`;
const STOP = new RegExp(String.raw`^stop:(.+)${MINUTE}\+${NUMBER}$`);
const SLOW = new RegExp(String.raw`^slow:(.+)${MINUTE}\+${NUMBER}x${NUMBER}$`);
const LATE = new RegExp(`^late:${NUMBER}$`);
const LOT = new RegExp(String.raw`^lot:(.+)${MINUTE}x(\d+)$`);
const UNREAD = new RegExp(`^unread:(.+)${MINUTE}$`);

/** @throws UsageError with the fault, and the grammar. */
export function parseIncident(text: string): Incident {
  const stop = STOP.exec(text);
  if (stop) return slowIncident(text, stop, 0);
  const slow = SLOW.exec(text);
  if (slow) {
    const share = Number(slow[4]);
    if (share > 0 && share < 1) return slowIncident(text, slow, share);
    throw refused(text, 'has a share that is not between 0 and 1');
  }
  const late = LATE.exec(text);
  if (late) {
    if (Number(late[1]) > 0) return { kind: 'late', minutes: Number(late[1]) };
    throw refused(text, 'is no delay');
  }
  const lot = LOT.exec(text);
  if (lot) {
    const count = Number(lot[3]);
    if (count > 0) return { kind: 'lot', ...placeOf(lot), count };
    throw refused(text, 'has no reading');
  }
  const unread = UNREAD.exec(text);
  if (unread) return { kind: 'unread', ...placeOf(unread) };
  throw refused(text, 'is none of these');
}

/** @throws UsageError for an incident that would change nothing at this venue. */
export function checkIncidents(incidents: readonly Incident[], { sectors }: Venue): void {
  const codes = sectors.map(({ code }) => code);
  for (const incident of incidents) {
    if (incident.kind === 'late') continue;
    const { sector, minute } = incident;
    if (!codes.includes(sector)) {
      throw new UsageError(
        `--incident names the sector ${quoteValue(sector)}, which this venue does not have. It has ${codes.map(printable).join(', ')}.`,
      );
    }
    if (minute < GATES_OPEN_MINUTE || minute > LAST_ARRIVAL_MINUTE) {
      throw new UsageError(
        `--incident names the minute ${minute}, when nobody comes: name one from ${GATES_OPEN_MINUTE} to ${LAST_ARRIVAL_MINUTE}.`,
      );
    }
  }
}

/** Returns words such as 'sector 7 lets nobody in for 6 min'. */
export function describeIncident(incident: Incident): string {
  if (incident.kind === 'late') return `all spectators come ${incident.minutes} min later`;
  const sector = `sector ${printable(incident.sector)}`;
  if (incident.kind === 'lot') return `${incident.count} readings of ${sector} come all at once`;
  if (incident.kind === 'unread') return `people enter ${sector} and are not read from now on`;
  const { minutes, share } = incident;
  const whom = share === 0 ? 'nobody' : `${Math.round(share * 100)}% of those who come`;
  return `${sector} lets ${whom} in for ${minutes} min`;
}

function slowIncident(text: string, found: RegExpExecArray, share: number): Incident {
  const minutes = Number(found[3]);
  if (minutes > 0) return { kind: 'slow', ...placeOf(found), minutes, share };
  throw refused(text, 'lasts no minute');
}

function placeOf([, sector = '', minute]: RegExpExecArray): { sector: string; minute: number } {
  return { sector, minute: Number(minute) };
}

function refused(text: string, why: string): UsageError {
  return new UsageError(`--incident ${quoteValue(text)} ${why}:\n${INCIDENT_GRAMMAR}`);
}
