import type { ComponentType } from 'react';
import { loadPart } from '../../page/lazy-part.ts';
import { type LivePage, type LivePageOptions, openLivePage } from '../../page/live-page.ts';
import type { BoardProps, LazyPart } from './board-props.ts';
import { createSectorLog } from './sector-log.ts';
import { requestValidTicketCount } from './valid-ticket-count.ts';

type LoadPart = () => Promise<ComponentType<BoardProps>>;

export interface BoardOptions extends Pick<LivePageOptions, 'decode'> {
  readonly sectorTable: LoadPart;
}

export interface OpenBoard extends LivePage {
  readonly sectorTable: LazyPart;
  readonly announcer: LazyPart;
}

const loadAnnouncer: LoadPart = async () => (await import('./announcer.tsx')).Announcer;

/** Connects the board of `document`, and starts to load its parts at once; `drawBoard` draws it. */
export function openBoard(document: Document, { decode, sectorTable }: BoardOptions): OpenBoard {
  return {
    sectorTable: loadPart(sectorTable),
    announcer: loadPart(loadAnnouncer),
    ...openLivePage(document, {
      decode,
      onFirstSignIn: requestValidTicketCount,
      onMessages: createSectorLog((documents) => console.log('sectors', documents)),
    }),
  };
}
