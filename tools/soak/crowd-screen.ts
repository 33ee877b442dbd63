import type { LiveState } from '../../web/live/live-state.ts';
import { createLightFetch } from './light-fetch.ts';
import { type PageLogic, runPageLogic } from './page-logic.ts';

/** One of hundreds of screens in a process. */
export interface CrowdScreen extends Omit<PageLogic, 'venueClock'> {
  /** Counts messages that it has taken in. */
  readonly framesReceived: number;
}

/** `onShown`: called whenever it shows another number, or another status. */
export function openCrowdScreen(url: string, onShown: (board: LiveState) => void = () => {}): CrowdScreen {
  const { fetch, close } = createLightFetch(url);
  let framesReceived = 0;
  const page = runPageLogic({
    fetch,
    onChange(board, before) {
      if (board.shown !== before.shown || board.status.kind !== before.status.kind) onShown(board);
    },
    onReceived(messages) {
      for (const { event } of messages) if (event === 'counts') framesReceived += 1;
    },
  });
  return {
    get board() {
      return page.board;
    },
    get live() {
      return page.live;
    },
    get framesReceived() {
      return framesReceived;
    },
    close() {
      page.close();
      close();
    },
  };
}
