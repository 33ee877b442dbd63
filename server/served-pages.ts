import { loadPages, type PageDefinition } from '../board/http/page.ts';

const BOARD = { file: 'index.html', route: '/' };

/** Of an event, as its pages name it. */
export interface Named {
  readonly eventId: string;
  readonly title: string;
  /** Nothing of it is real. */
  readonly demo: boolean;
}

export function boardPages({ eventId, title, demo }: Named): readonly PageDefinition[] {
  return [{ ...BOARD, title, values: { eventId, demonstration: demo ? 'demonstração' : '' } }];
}

/** Names the build, as the pages of a board with the default venue do. */
export function readBuildId(webRoot: string): string {
  return loadPages(webRoot, boardPages({ eventId: '', title: '', demo: false })).buildId;
}

export const BOARD_FILES: readonly string[] = [BOARD.file];
export const BOARD_ROUTES: readonly string[] = [BOARD.route];
