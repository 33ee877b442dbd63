import { loadPages, type PageDefinition } from '../board/http/page.ts';

const BOARD = { file: 'index.html', route: '/' };

const NOTHING = ["'none'"];

/** Served where there is a desk. */
const DESK: readonly Pick<PageDefinition, 'file' | 'route' | 'policy'>[] = [
  { file: 'fluxo.html', route: '/fluxo' },
  { file: 'registro.html', route: '/fluxo/registro' },
  // Text and pictures, which say nothing of a match: whoever cannot sign in reads how.
  { file: 'ajuda.html', route: '/fluxo/ajuda', policy: { 'script-src': NOTHING, 'connect-src': NOTHING } },
];

/** Of an event, as its pages name it. */
interface Named {
  readonly eventId: string;
  readonly title: string;
  /** Nothing of it is real. */
  readonly demo: boolean;
}

export function boardPages({ eventId, title, demo }: Named): readonly PageDefinition[] {
  return [{ ...BOARD, title, values: { eventId, demonstration: demo ? 'demonstração' : '' } }];
}

/** Apart from the board's: a new desk reloads no wall, and a wall is the same with a desk and without. */
export function deskPages({ eventId, title, demo }: Named): readonly PageDefinition[] {
  // In the record's own word.
  const values = { eventId, demonstration: demo ? 'SIMULADO' : '' };
  return DESK.map((page) => Object.assign({ title, values }, page));
}

/** Names the build, as the pages of a board with the default venue do. */
export function readBuildId(webRoot: string): string {
  return loadPages(webRoot, boardPages({ eventId: '', title: '', demo: false })).buildId;
}

export const BOARD_FILES: readonly string[] = [BOARD.file];
export const BOARD_ROUTES: readonly string[] = [BOARD.route];
export const DESK_FILES: readonly string[] = DESK.map(({ file }) => file);
export const DESK_ROUTES: readonly string[] = DESK.map(({ route }) => route);
