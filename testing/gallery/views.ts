import arenaGrande from '../../venues/arena-grande.json' with { type: 'json' };
import campoPequeno from '../../venues/campo-pequeno.json' with { type: 'json' };
import { MINUTE_MS } from '../../desk/model/series/minute.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import type { DeskView } from '../../desk/page/desk-view.ts';
import { KICK_OFF_MS, StandInDesk, type StandInDeskOptions } from '../desk/stand-in-desk.ts';

export interface GalleryView {
  /** The text of the index. */
  readonly shows: string;
  readonly open: () => StandInDesk;
  readonly isSignedOut?: true;
  /** The words of the header, where they are not the usual short ones. */
  readonly header?: { readonly title: string; readonly badge: string; readonly operator: string };
}

/** The sectors with the longest names. */
const LONG_NAMED = ['11', '1', '12', '2', '5', '13'] as const;
/** The longest name that a venue's file may have. */
const NAME_LENGTH = 40;
const LONGEST_NAMES = DEFAULT_VENUE.sectors.map(({ code, codes, name }) => ({
  code,
  codes,
  stand: '',
  name: `${name} PORTÕES 14 E 15, CADEIRAS COBERTAS`.slice(0, NAME_LENGTH - 1).padEnd(NAME_LENGTH, 'S'),
}));
const oneTooMany = (admitted: number): number => admitted - 1;

/** A match in which these sectors are above their capacity. */
function overfilled(codes: readonly string[], options: StandInDeskOptions = {}): StandInDesk {
  const desk = new StandInDesk(options);
  for (const code of codes) desk.permit(code, oneTooMany);
  return desk;
}

/** Sectors with contacts, and with the entry capacity of their gates. */
const WITH_CONTACTS = DEFAULT_VENUE.sectors.map(({ code, codes, name, stand }, place) => ({
  code,
  codes,
  name,
  stand,
  contact: `canal ${place + 1} · (85) 99999-02${place + 10}`,
  entriesPerHour: 7_000,
}));

function sixUnlike(): StandInDesk {
  const several = ['11', '1', '12', '2'].map((code) => `stop:${code}@-30+60`);
  const desk = new StandInDesk({
    sectors: WITH_CONTACTS,
    tickets: 2_000,
    minutesToKickOff: 14,
    incidents: [...several, 'stop:5@-40+60', 'slow:13@-20+60x0.1'],
  });
  for (const [code, share] of [
    ['3', 0.99],
    ['4', 1.02],
    ['6', 1.1],
  ] as const)
    desk.permit(code, (admitted) => Math.round(admitted * share));
  return desk;
}

interface VenueFile {
  readonly sectors: readonly { readonly code: string; readonly name: string; readonly capacity?: number }[];
}

/** A match in the venue of a file, with one admission in no sector. */
function inVenue({ sectors }: VenueFile): StandInDesk {
  return new StandInDesk({
    sectors: sectors.map((sector) => ({ stand: '', codes: [sector.code], ...sector })),
    tickets: 100,
    elsewhere: 1,
  });
}

/** A match with five sectors that are 90 % full. */
function filling(): StandInDesk {
  const desk = new StandInDesk();
  for (const code of ['1', '2', '3', '4', '5']) desk.permit(code, (admitted) => Math.round(admitted / 0.9));
  return desk;
}

/** A match whose log has a late batch of NORTE, and an alarm of LESTE INFERIOR CENTRAL. */
function markedLog(): StandInDesk {
  return overfilled(['11'], { incidents: ['lot:4@-25x120'] });
}

function beforeEvacuation(): StandInDesk {
  const desk = overfilled(['7']);
  desk.command({ kind: 'mark', id: 'mark', sector: '4', mark: 'unscanned' }, 'Ana');
  return desk;
}

/** Half an hour after kick-off nobody enters, every sector is nearly full, and was open without reading for a while. */
function wordyRows(): StandInDesk {
  const incidents = DEFAULT_VENUE.sectors.map(({ code }) => `stop:${code}@5+60`);
  const desk = new StandInDesk({ minutesToKickOff: -32, tickets: 2_000, earlierMatches: 3, incidents });
  for (const { code } of DEFAULT_VENUE.sectors) {
    desk.permit(code, (admitted) => Math.round(admitted / 0.9));
    const sinceMs = desk.nowMs - 60 * MINUTE_MS;
    const estimate = { count: 150, how: 'contagem manual no portão' };
    desk.command({ kind: 'mark', id: code, sector: code, mark: 'unscanned', sinceMs, estimate }, 'Ana');
    desk.command({ kind: 'take-back', id: `ended ${code}`, entryId: code, why: 'ended' }, 'Ana');
  }
  return desk;
}

function withReadings(): StandInDesk {
  const desk = new StandInDesk({ earlierMatches: 5 });
  desk.readings = [
    { outcome: 'kept', reason: 'ticket', count: 12 },
    { outcome: 'refused', reason: 'message', count: 3 },
  ];
  return desk;
}

/** A match in which two sectors were open without reading, and one still is. `estimates`: the people in each. */
function unreadSectors(estimates?: number, options: StandInDeskOptions = {}): StandInDesk {
  const sectors = WITH_CONTACTS.map((sector) => Object.assign({}, sector, { entriesPerHour: 300 }));
  const desk = new StandInDesk({
    earlierMatches: 9,
    ...(estimates !== undefined && { sectors }),
    ...options,
  });
  const estimate = { count: estimates ?? 0, how: 'contagem manual no portão' };
  for (const [sector, minutes] of [
    ['7', 25],
    ['4', 6],
  ] as const) {
    const sinceMs = desk.nowMs - minutes * MINUTE_MS;
    const mark = { kind: 'mark', id: sector, sector, mark: 'unscanned', sinceMs } as const;
    desk.command({ ...mark, ...(estimates !== undefined && { estimate }) }, 'Ana');
  }
  desk.command({ kind: 'take-back', id: 'ended', entryId: '7', why: 'ended' }, 'Bia');
  return desk;
}

/** A match in which the entry of two sectors is suspended, and only one of them has stopped. */
function suspendedEntry(): StandInDesk {
  const desk = new StandInDesk({ tickets: 2_000, earlierMatches: 9, incidents: ['stop:7@-34+60'] });
  const sinceMs = desk.nowMs - 8 * MINUTE_MS;
  for (const sector of ['4', '7'])
    desk.command({ kind: 'mark', id: sector, sector, mark: 'suspended', sinceMs }, 'Ana');
  return desk;
}

/** A start that was put off on the desk, over a count that is incomplete and five sectors above their capacity. */
function putOffStart(): StandInDesk {
  const desk = unreadSectors(150, { tickets: 3_000 });
  desk.command({ kind: 'kick-off', id: 'later', kickOffAtMs: KICK_OFF_MS + 15 * MINUTE_MS }, 'Ana');
  for (const code of ['1', '2', '11', '12', '13']) desk.permit(code, oneTooMany);
  return desk;
}

function withStatus(status: DeskView['status']): StandInDesk {
  const desk = new StandInDesk({ earlierMatches: 5 });
  desk.status = status;
  return desk;
}

const VIEW_LIST = {
  match: {
    shows: 'a match 24 minutes before kick-off, after nine earlier ones',
    open: () => new StandInDesk({ earlierMatches: 9 }),
  },
  'unwatched-minutes': {
    shows: 'three minutes that nobody watched, after twelve earlier matches',
    open: () => new StandInDesk({ earlierMatches: 12, unwatchedMin: [-48, -45] }),
  },
  'twelve-earlier': {
    shows: 'the forecast of twelve earlier matches',
    open: () => new StandInDesk({ earlierMatches: 12 }),
  },
  'five-earlier': {
    shows: 'the forecast of five earlier matches',
    open: () => new StandInDesk({ earlierMatches: 5 }),
  },
  'full-stadium': {
    shows: 'rates of four digits',
    open: () => new StandInDesk({ earlierMatches: 9, tickets: 6_000 }),
  },
  'two-earlier': {
    shows: 'two earlier matches: too few for a range',
    open: () => new StandInDesk({ earlierMatches: 2 }),
  },
  'no-earlier': { shows: 'the first match: no range', open: () => new StandInDesk() },
  'without-times': {
    shows: 'an event without a kick-off',
    open: () => new StandInDesk({ hasTimes: false, earlierMatches: 5 }),
  },
  'before-gates': {
    shows: 'before the gates open',
    open: () => new StandInDesk({ minutesToKickOff: 128, earlierMatches: 3 }),
  },
  'after-kick-off': {
    shows: 'ten minutes after kick-off',
    open: () => new StandInDesk({ minutesToKickOff: -10, earlierMatches: 3 }),
  },
  'wordy-rows': {
    shows: 'all that a row can say, in every row, half an hour after kick-off',
    open: wordyRows,
  },
  'after-end': {
    shows: 'after the end',
    open: () => new StandInDesk({ minutesToKickOff: -100, earlierMatches: 3 }),
  },
  'sign-in': { shows: 'the form of the sign-in', open: () => new StandInDesk(), isSignedOut: true },
  'no-connection': {
    shows: 'a desk that lost its server 40 s ago',
    open: () => withStatus({ kind: 'no-connection', ageMs: 40_000 }),
  },
  'no-source': {
    shows: 'a desk whose server lost its database three minutes ago',
    open: () => withStatus({ kind: 'no-source', ageMs: 180_000 }),
  },
  'readings-kept': {
    shows: 'readings of the last minutes that wait for their tickets, and some that were refused',
    open: withReadings,
  },
  'long-names': {
    shows: 'thirteen names of forty characters, and six alarms',
    open: () => overfilled(LONG_NAMED, { sectors: LONGEST_NAMES }),
  },
  'six-alarms': { shows: 'six sectors above their capacity', open: () => overfilled(LONG_NAMED) },
  'stopped-sector': {
    shows: 'a sector that stopped',
    open: () => new StandInDesk({ tickets: 2_000, incidents: ['stop:7@-30+60'] }),
  },
  'several-stopped': {
    shows: 'three sectors that stopped together',
    open: () =>
      new StandInDesk({
        sectors: WITH_CONTACTS,
        tickets: 2_000,
        incidents: ['4', '7', '99'].map((code) => `stop:${code}@-30+60`),
      }),
  },
  'six-unlike': { shows: 'six alarms of six rules', open: sixUnlike },
  'seven-alarms': {
    shows: 'seven sectors above their capacity',
    open: () => overfilled(['6', '7', '8', '11', '12', '13', '2']),
  },
  'four-stopped': {
    shows: 'four sectors that stopped one after the other',
    open: () =>
      new StandInDesk({
        sectors: WITH_CONTACTS,
        tickets: 2_000,
        minutesToKickOff: 14,
        incidents: ['stop:7@-42+60', 'stop:4@-37+60', 'stop:11@-32+60', 'stop:9@-27+60'],
      }),
  },
  'filling-sectors': { shows: 'five sectors that are nearly full, on one card', open: filling },
  'marked-log': { shows: 'a lot and an alarm below the curve', open: markedLog },
  'before-evacuation': {
    shows: 'a sector above its capacity, and one that is open without reading: an evacuation may be declared',
    open: beforeEvacuation,
  },
  'unread-sectors': {
    shows: 'a sector that is open without reading, and one that was: counts are at least what they say',
    open: () => unreadSectors(),
  },
  'suspended-entry': {
    shows: 'two sectors whose entry is suspended: in one of them people enter all the same',
    open: suspendedEntry,
  },
  'estimated-sectors': {
    shows: 'the same with estimates, with which the forecast goes on, and more needed than gates let in',
    open: () => unreadSectors(150),
  },
  'put-off-start': {
    shows: 'a start that was put off, an incomplete count, five alarms, and a header of long words',
    open: putOffStart,
    header: {
      title: 'Triagem · Associação Desportiva Ferroviária × Fortaleza',
      badge: 'SIMULADO',
      operator: 'Ana Paula Ribeiro',
    },
  },
  'campo-pequeno': { shows: 'the venue of venues/campo-pequeno.json', open: () => inVenue(campoPequeno) },
  'arena-grande': { shows: 'the venue of venues/arena-grande.json', open: () => inVenue(arenaGrande) },
} as const satisfies Readonly<Record<string, GalleryView>>;

export type ViewName = keyof typeof VIEW_LIST;

/** The views in the order of the index. */
export const VIEWS: Readonly<Record<ViewName, GalleryView>> = VIEW_LIST;

export function isViewName(name: string): name is ViewName {
  return Object.hasOwn(VIEWS, name);
}
