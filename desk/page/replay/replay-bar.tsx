import { useEffect, useRef } from 'react';
import type { ReadableStore } from '../../../page/store.ts';
import type { Status } from '../../../page/trust/status.ts';
import { useStore } from '../../../page/use-store.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import { spanOf } from './recorded-span.ts';
import { ReplayControls } from './replay-controls.tsx';
import type { ReplayPlayer } from './replay-player.ts';
import {
  isSimulated,
  liveWords,
  problemWords,
  progressWords,
  replayFacts,
  replayName,
} from './replay-words.ts';
import { type Replay, REPLAY_SPEEDS, type ReplaySpeed } from './replay.ts';
import { titleWithout } from '../alarms/announcement.ts';

interface ReplayBarProps {
  readonly player: ReplayPlayer;
  readonly page: ReadableStore<{ readonly view: DeskView | undefined; readonly status: Status }>;
}

/** Stands above the desk while a recorded minute is displayed or requested. */
export function ReplayBar({ player, page }: ReplayBarProps) {
  const replay = useStore(player.replay, (current) => current);
  const live = useStore(page, ({ view }) => view);
  return replay && live ? <OpenBar replay={replay} live={live} player={player} page={page} /> : null;
}

interface OpenBarProps extends ReplayBarProps {
  readonly replay: Replay;
  readonly live: DeskView;
}

function OpenBar({ replay, live, player, page }: OpenBarProps) {
  const { shown, wantedMs, problem, speed } = replay;
  const { timeZone } = live.state;
  const span = spanOf(live);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    heading.current?.focus();
    // What is asked first stands at the top; the focus on a sticky heading does not scroll there.
    window.scrollTo({ top: 0 });
    return () => {
      if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  useReplayKeys(player);
  useReplayTitle(shown ? replayName(shown) : null);
  const progress = progressWords(replay, span, timeZone);
  return (
    <section className="replay" aria-labelledby="replay-heading" data-is-shown={shown ? '' : undefined}>
      <div className="replay-head">
        <h2 id="replay-heading" ref={heading} tabIndex={-1}>
          {shown ? replayName(shown) : `abrindo ${formatTime(wantedMs, timeZone)}…`}
        </h2>
        {isSimulated(live) && <b className="replay-simulated">SIMULADO</b>}
        <p className="replay-not-live">{shown ? 'não é ao vivo' : 'ainda ao vivo'}</p>
        <LiveLine live={live} page={page} onLeave={player.leave} />
        <button type="button" className="replay-leave" onClick={player.leave}>
          voltar ao vivo <kbd>Esc</kbd>
        </button>
      </div>
      <ReplayControls
        replay={replay}
        player={player}
        span={span}
        timeZone={timeZone}
        onTyped={() => heading.current?.focus()}
      />
      <p className="replay-facts">{shown && replayFacts(shown)}</p>
      <p className="replay-note" role="status">
        {problem ? (
          problemWords(problem, span, timeZone)
        ) : (
          <>
            {/* While it plays, the minutes are not read aloud. */}
            {shown && speed === undefined && <span className="unseen">{replayName(shown)} </span>}
            {progress}
          </>
        )}
      </p>
      {shown && <div className="replay-frame" aria-hidden="true" data-name={replayName(shown)} />}
    </section>
  );
}

/** Displays calling alarms of the present beside a recorded minute; a press leads back to them. */
function LiveLine({
  live,
  page,
  onLeave,
}: {
  readonly live: DeskView;
  readonly page: ReplayBarProps['page'];
  readonly onLeave: () => void;
}) {
  const status = useStore(page, (current) => current.status);
  const { words, isCalling, isEvacuated, isStale } = liveWords(live, status);
  return (
    <button
      type="button"
      className="replay-live"
      data-calling={isCalling ? '' : undefined}
      data-evacuated={isEvacuated ? '' : undefined}
      data-stale={isStale ? '' : undefined}
      onClick={onLeave}
    >
      {words}
    </button>
  );
}

/** The tab's title names the displayed minute behind the alarms of the present. */
function useReplayTitle(name: string | null): void {
  useEffect(() => {
    rename(name);
    return () => rename(null);
  }, [name]);
}

function rename(name: string | null): void {
  const { title } = document;
  const rest = titleWithout(title);
  const calls = title.slice(0, title.length - rest.length);
  const page = rest.replace(/^REGISTRO \d\d:\d\d · /, '');
  document.title = `${calls}${name === null ? page : `${name} · ${page}`}`;
}

/** The elements with their own use for the space bar and the arrow keys. */
const SPACE_KEYS = 'input, select, textarea, button, summary, a, [tabindex="0"]';
const ARROW_KEYS = 'input, select, textarea, [role="slider"]';

/** Esc returns to the present, the arrow keys step by a minute, the space bar plays and pauses. */
function useReplayKeys(player: ReplayPlayer): void {
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
