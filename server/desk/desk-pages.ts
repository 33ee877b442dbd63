import type { PageDefinition } from '../../board/http/page.ts';
import type { Named } from '../served-pages.ts';

const NOTHING = ["'none'"];

/** Served where there is a desk. */
const DESK: readonly Pick<PageDefinition, 'file' | 'route' | 'policy'>[] = [
  { file: 'fluxo.html', route: '/fluxo' },
  { file: 'registro.html', route: '/fluxo/registro' },
  // Text and pictures without data of a match: it can be read without signing in.
  { file: 'ajuda.html', route: '/fluxo/ajuda', policy: { 'script-src': NOTHING, 'connect-src': NOTHING } },
];

/** Apart from the board's: a new desk reloads no wall, and a wall is the same with a desk and without. */
export function deskPages({ eventId, title, demo }: Named): readonly PageDefinition[] {
  // In the record's own word.
  const values = { eventId, demonstration: demo ? 'SIMULADO' : '' };
  return DESK.map((page) => Object.assign({ title, values }, page));
}

export const DESK_FILES: readonly string[] = DESK.map(({ file }) => file);
export const DESK_ROUTES: readonly string[] = DESK.map(({ route }) => route);
