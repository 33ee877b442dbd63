import { loadPages, type PageDefinition } from '../board/http/page.ts';

const BOARD = { file: 'index.html', route: '/' };

/** What the pages of an event name. */
export interface Named {
  readonly eventId: string;
  readonly title: string;
  /** The event is simulated. */
  readonly demo: boolean;
}

export function boardPages({ eventId, title, demo }: Named): readonly PageDefinition[] {
  return [{ ...BOARD, title, values: { eventId, demonstration: demo ? 'demonstração' : '' } }];
}

/** Returns the build ID that the pages of a board with the default venue have. */
export function readBuildId(webRoot: string): string {
  return loadPages(webRoot, boardPages({ eventId: '', title: '', demo: false })).buildId;
}

export const BOARD_FILES: readonly string[] = [BOARD.file];
export const BOARD_ROUTES: readonly string[] = [BOARD.route];
