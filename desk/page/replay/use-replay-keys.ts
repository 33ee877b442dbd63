import { useEffect } from 'react';
import type { ReplayPlayer } from './replay-player.ts';
import { REPLAY_SPEEDS, type ReplaySpeed } from './replay.ts';

/** The elements with their own use for the space bar and the arrow keys. */
const SPACE_KEYS = 'input, select, textarea, button, summary, a, [tabindex="0"]';
const ARROW_KEYS = 'input, select, textarea, [role="slider"]';

/** Esc returns to the present, the arrow keys step by a minute, the space bar plays and pauses. */
export function useReplayKeys(player: ReplayPlayer): void {
  useEffect(() => {
    let speed: ReplaySpeed = REPLAY_SPEEDS[0];
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
      const target = event.target instanceof Element ? event.target : document.body;
      if (document.querySelector('dialog[open]')) return;
      if (event.key === 'Escape') player.leave();
      else if (event.key === 'ArrowLeft' && !target.matches(ARROW_KEYS)) player.step(-1);
      else if (event.key === 'ArrowRight' && !target.matches(ARROW_KEYS)) player.step(1);
      else if (event.key === ' ' && !target.closest(SPACE_KEYS)) {
        const playing = player.replay.get()?.speed;
        speed = playing ?? speed;
        if (playing === undefined) player.play(speed);
        else player.pause();
      } else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [player]);
}
