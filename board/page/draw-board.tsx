import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { showClock } from '../../page/show-clock.ts';
import { Board } from './board.tsx';
import type { OpenBoard } from './open-board.ts';

/** Replaces the markup of the HTML by the same, drawn by React, in one frame. */
export function drawBoard(document: Document, board: OpenBoard): void {
  const statusPlace = document.querySelector('#status');
  const place = document.querySelector('#board');
  if (!statusPlace || !place) throw new Error('no place');
  statusPlace.replaceChildren();
  flushSync(() => createRoot(place).render(<Board board={board} statusPlace={statusPlace} />));
  showClock(statusPlace, board.state, board.readVenueClock);
}
