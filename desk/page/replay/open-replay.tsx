import type { ComponentType } from 'react';
import { createStore, type ReadableStore } from '../../../page/store.ts';
import type { DeskView, SendCommand } from '../desk-view.ts';
import type { OpenDesk } from '../open-desk.ts';
import { spanOf } from './recorded-span.ts';
import { ReplayBar } from './replay-bar.tsx';
import { createReplayPlayer } from './replay-player.ts';
import { replayedView } from './replayed-view.ts';

/** The replay of recorded minutes; its code loads lazily. */
export interface DeskReplay {
  /** The view that is drawn in place of the live one, if any. */
  readonly view: ReadableStore<DeskView | null>;
  readonly open: (minuteMs: number) => void;
  /** Replaces the desk's `send`, and refuses every command. */
  readonly send: SendCommand;
  /** The controls; empty while the live view is drawn. */
  readonly Bar: ComponentType;
}

export function openReplay({ page, session }: OpenDesk): DeskReplay {
  const live = (): DeskView | undefined => page.get().view;
  const player = createReplayPlayer({
    url: () => `/fluxo/api/events/${encodeURIComponent(live()?.state.eventId ?? '')}`,
    fetch: window.fetch.bind(window),
    span: () => spanOf(live()),
    sessionEnded: session.ended,
  });
  const view = createStore<DeskView | null>(null);
  let drawnOf: readonly unknown[] = [];
  const follow = (): void => {
    const now = live();
    const shown = player.replay.get()?.shown;
    const of = now && shown ? [shown, now.minutes, now.log, now.sectors] : [];
    if (of.length === drawnOf.length && of.every((part, index) => part === drawnOf[index])) return;
    drawnOf = of;
    view.set(now && shown ? replayedView(now, shown) : null);
  };
  player.replay.subscribe(follow);
  page.subscribe(follow);
  return {
    view,
    open: player.open,
    send: () =>
      Promise.resolve({ kind: 'refused', message: 'a mesa mostra o registro: volte ao vivo para lançar' }),
    Bar: () => <ReplayBar player={player} page={page} />,
  };
}
