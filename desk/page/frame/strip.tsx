import { useEffect, useRef } from 'react';
import type { DeskState } from '../../model/desk-state.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { showClock } from '../../../page/show-clock.ts';
import { ConnectionStatus } from '../../../page/status.tsx';
import { useStore } from '../../../page/use-store.ts';
import { SoundSwitch } from '../sound/sound-switch.tsx';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import type { OpenDesk } from '../open-desk.ts';
import { OperatorMenu } from '../session/operator-menu.tsx';
import { kickOffWords } from './kick-off-words.ts';

/** Stands beside the title: time, kick-off, operator, and whether the figures can be trusted. */
export function Strip(props: { readonly desk: OpenDesk; readonly replayed: DeskView | null }) {
  const { desk, replayed } = props;
  useSimulatedBadge(desk);
  const isSignedOut = useStore(desk.session.state, ({ kind }) => kind === 'signed-out');
  const isConnecting = useStore(desk.page, ({ status }) => status.kind === 'connecting');
  // It is the sign-in that is waited for, and no connection.
  const isAwaited = isSignedOut && isConnecting;
  return (
    <div className="strip-edge">
      <p className="strip-time">
        <Clock desk={desk} isHidden={replayed !== null} />
        {replayed && <span className="strip-clock">{recordedTime(replayed.state)}</span>}
        <KickOff desk={desk} replayed={replayed} />
      </p>
      <Sound desk={desk} />
      <OperatorMenu session={desk.session} />
      <a href="/fluxo/ajuda" target="_blank" rel="noreferrer">
        ajuda
      </a>
      <a href="/fluxo/registro" target="_blank" rel="noreferrer">
        registro
      </a>
      <div className="status-place">
        <div id="status">
          {replayed ? (
            <p className="status" data-status="replayed">
              {recordedTime(replayed.state)}
            </p>
          ) : (
            !isAwaited && <ConnectionStatus state={desk.page} />
          )}
        </div>
      </div>
    </div>
  );
}

/** The server fills the badge if the whole event is simulated; the page does so if the log has a simulated entry. */
function useSimulatedBadge(desk: OpenDesk): void {
  const isSimulated = useStore(
    desk.page,
    ({ view }) => view?.log.some(({ source }) => source === 'simulated') ?? false,
  );
  useEffect(() => {
    const badge = document.querySelector('.demonstration');
    if (badge && isSimulated) badge.textContent = 'SIMULADO';
  }, [isSimulated]);
}

function Sound({ desk }: { readonly desk: OpenDesk }) {
  const view = useStore(desk.page, (page) => page.view);
  return view && <SoundSwitch view={view} />;
}

const RUNNING = { status: { kind: 'live' } } as const;

/** The recorded minute that ends at `nowMs`. */
function recordedTime({ nowMs, timeZone }: DeskState): string {
  return `registro ${formatTime(nowMs - MINUTE_MS, timeZone)}`;
}

/**
 * Ticks without React, like the wall's clock, and without a connection as well. A sped-up clock is also read with each change of
 * the page, so that no other time on the page is ahead of it.
 */
function Clock({ desk, isHidden }: { readonly desk: OpenDesk; readonly isHidden: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const { page } = desk;
    const get = () => (page.get().view ? RUNNING : page.get());
    return place.current
      ? page.subscribe(showClock(place.current, { ...page, get }, desk.readClock))
      : undefined;
  }, [desk]);
  return (
    <span className="strip-clock" hidden={isHidden}>
      <span ref={place} />
    </span>
  );
}

function KickOff({ desk, replayed }: { readonly desk: OpenDesk; readonly replayed: DeskView | null }) {
  // The clock advances even without messages.
  const words = useStore(desk.page, ({ view }) => {
    const nowMs = desk.readClock()?.unixMs;
    return view && kickOffWords(nowMs === undefined ? view.state : { ...view.state, nowMs });
  });
  return <span className="strip-kick-off">{replayed ? kickOffWords(replayed.state) : words}</span>;
}
