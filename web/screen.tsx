import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { Board } from './board/board.tsx';
import { showClock } from './board/show-clock.ts';
import { board, parts, readVenueClock } from './main.ts';

function takeOver(): void {
  const statusPlace = document.querySelector('#status');
  const place = document.querySelector('#board');
  if (!statusPlace || !place) throw new Error('index.html has no place for the board');
  // What index.html shows until now gives way to the same, in one frame.
  statusPlace.replaceChildren();
  flushSync(() => createRoot(place).render(<Board board={board} statusPlace={statusPlace} {...parts} />));
  showClock(statusPlace, board, readVenueClock);
}

// React has just been read: what the server has answered meanwhile comes first.
setTimeout(takeOver);
