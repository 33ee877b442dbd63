import { useEffect, useRef } from 'react';
import { showClock } from '../../live/show-clock.ts';
import { ConnectionStatus } from '../../live/status.tsx';
import { useStore } from '../../live/use-store.ts';
import { SoundSwitch } from '../alarms/sound-switch.tsx';
import type { OpenDesk } from '../open-desk.ts';
import { OperatorMenu } from '../session/operator-menu.tsx';
import { kickOffWords } from './kick-off-words.ts';

/** Beside the title: the time, how long it is to kick-off, who sits here, and whether the figures can be trusted. */
export function Strip({ desk }: { readonly desk: OpenDesk }) {
  return (
    <div className="strip-edge">
      <p className="strip-time">
        <Clock desk={desk} />
        <KickOff desk={desk} />
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
          <ConnectionStatus state={desk.page} />
        </div>
      </div>
    </div>
  );
}

function Sound({ desk }: { readonly desk: OpenDesk }) {
  const view = useStore(desk.page, (page) => page.view);
  return view && <SoundSwitch view={view} />;
}

/** Ticks without React, as the wall's does. */
function Clock({ desk }: { readonly desk: OpenDesk }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (place.current) showClock(place.current, desk.page, desk.readClock);
  }, [desk]);
  return (
    <span className="strip-clock">
      <span ref={place} />
    </span>
  );
}

function KickOff({ desk }: { readonly desk: OpenDesk }) {
  // By the clock, which goes on where nothing is told.
  const words = useStore(desk.page, ({ view }) => {
    const nowMs = desk.readClock()?.unixMs;
    return view && kickOffWords(nowMs === undefined ? view.state : { ...view.state, nowMs });
  });
  return <span className="strip-kick-off">{words}</span>;
}
