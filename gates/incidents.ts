/** What goes wrong in a simulated match. Minutes are counted from kick-off: negative before it. */
export type Incident = OpeningIncident | LateIncident | LotIncident | UnreadIncident;

/** For so long, the gates of a sector pass only `factor` (0 to below 1) of what they pass else; at 0 nobody. */
interface OpeningIncident {
  readonly kind: 'stop' | 'slow';
  readonly sector: string;
  readonly minute: number;
  readonly minutes: number;
  readonly factor: number;
}

/** All spectators come so much later. */
interface LateIncident {
  readonly kind: 'late';
  readonly minutes: number;
}

/** So many of those who entered in the half hour before are read at this minute, all at once. */
interface LotIncident {
  readonly kind: 'lot';
  readonly sector: string;
  readonly minute: number;
  readonly count: number;
}

/** From then on people enter and are not read. */
interface UnreadIncident {
  readonly kind: 'unread';
  readonly sector: string;
  readonly minute: number;
}

export const INCIDENT_GRAMMAR = `  stop:SECTOR@MINUTE+MINUTES        nobody gets in for so long: stop:7@-35+6
  slow:SECTOR@MINUTE+MINUTESxSHARE  only a share of the usual: slow:4@-30+10x0.3
  late:MINUTES                      all spectators come later: late:12
  lot:SECTOR@MINUTExCOUNT           readings of the half hour before come at once: lot:9@-20x400
  unread:SECTOR@MINUTE              people enter and are not read from then on: unread:8@-15
MINUTE is counted from kick-off, -35 is 35 minutes before it.`;

/** How long the readings of a lot were held back, at most. */
export const LOT_HELD_MINUTES = 30;

const MINUTE = String.raw`@([+-]?\d+(?:\.\d+)?)`;
const NUMBER = String.raw`(\d+(?:\.\d+)?)`;
const STOP = new RegExp(String.raw`^stop:(.+)${MINUTE}\+${NUMBER}$`);
const SLOW = new RegExp(String.raw`^slow:(.+)${MINUTE}\+${NUMBER}x${NUMBER}$`);
const LATE = new RegExp(`^late:${NUMBER}$`);
const LOT = new RegExp(String.raw`^lot:(.+)${MINUTE}x(\d+)$`);
const UNREAD = new RegExp(`^unread:(.+)${MINUTE}$`);

/** @returns `undefined` where it is not of the grammar, or says what cannot be. */
export function parseIncident(text: string): Incident | undefined {
  const stop = STOP.exec(text);
  if (stop) return opening('stop', stop, 0);
  const slow = SLOW.exec(text);
  if (slow) return Number(slow[4]) > 0 ? opening('slow', slow, Number(slow[4])) : undefined;
  const late = LATE.exec(text);
  if (late) return Number(late[1]) > 0 ? { kind: 'late', minutes: Number(late[1]) } : undefined;
  const lot = LOT.exec(text);
  if (lot) {
    const count = Number(lot[3]);
    return count > 0 ? { kind: 'lot', ...placeOf(lot), count } : undefined;
  }
  const unread = UNREAD.exec(text);
  return unread ? { kind: 'unread', ...placeOf(unread) } : undefined;
}

function opening(
  kind: OpeningIncident['kind'],
  match: RegExpExecArray,
  factor: number,
): OpeningIncident | undefined {
  const minutes = Number(match[3]);
  return minutes > 0 && factor < 1 ? { kind, ...placeOf(match), minutes, factor } : undefined;
}

function placeOf([, sector = '', minute]: RegExpExecArray): { sector: string; minute: number } {
  return { sector, minute: Number(minute) };
}
