import { type ReactNode, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useStore } from '../../../page/use-store.ts';
import { AlarmsOutOfSight } from '../alarms/alarms-out-of-sight.tsx';
import { AlarmPanel } from '../alarms/alarm-panel.tsx';
import { DeskActions } from '../actions/desk-actions.tsx';
import { RecordUnavailableProvider } from '../actions/record-unavailable.ts';
import { Answer } from '../answer/answer.tsx';
import type { DeskView, SendCommand } from '../desk-view.ts';
import type { OpenDesk } from '../open-desk.ts';
import { useReplay } from '../replay/use-replay.ts';
import { SignInDialog } from '../session/sign-in-dialog.tsx';
import type { LinkFragment } from '../session/link-fragment.ts';
import { Evacuation } from './evacuation.tsx';
import { LazyCurve, LazyLog } from './lazy-parts.tsx';
import { LostLine } from './lost-line.tsx';
import { Notices } from './notices.tsx';
import { Part } from './part.tsx';
import { Strip } from './strip.tsx';
import { SectorRows } from '../rows/sector-rows.tsx';
import { Total } from '../total/total.tsx';

/** Draws everything on the page but its title. */
export function Desk(props: {
  readonly desk: OpenDesk;
  readonly link: LinkFragment | undefined;
  readonly strip: Element;
}) {
  const { desk, link, strip } = props;
  const live = useStore(desk.page, (page) => page.view);
  const [replayed, replay] = useReplay(desk);
  const view = replayed ?? live;
  return (
    <>
      {createPortal(<Strip desk={desk} replayed={replayed} />, strip)}
      <Notices desk={desk} isReplayed={replayed !== null} />
      {replay && <replay.Bar />}
      {view && <Evacuation view={view} />}
      {view && (
        <RecordUnavailableProvider value={live?.state.record.state.kind === 'away'}>
          <DeskParts
            view={view}
            send={replayed && replay ? replay.send : desk.send}
            onReplay={replay?.open}
            lostLine={!replayed && <LostLine desk={desk} />}
          />
        </RecordUnavailableProvider>
      )}
      <SignInDialog session={desk.session} link={link} />
    </>
  );
}

/** Arranges the parts (frame.css), which are functions of the view and of the opened sector. */
function DeskParts(props: {
  readonly view: DeskView;
  readonly send: SendCommand;
  /** Opens the recorded minute that begins at `minuteMs`; undefined until the replay has loaded. */
  readonly onReplay: ((minuteMs: number) => void) | undefined;
  readonly lostLine: ReactNode;
}) {
  const { view, send, onReplay, lostLine } = props;
  const [sector, setSector] = useState<string | null>(null);
  const opener = useRef<HTMLElement>(null);
  const openSector = (code: string): void => {
    opener.current = document.activeElement as HTMLElement | null;
    setSector(code);
  };
  const closeSector = (): void => {
    setSector(null);
    opener.current?.focus();
  };
  const isStale = view.status.kind !== 'live';
  return (
    <div className="desk" data-stale={isStale ? '' : undefined}>
      <div className="desk-column desk-left">
        <div className="page-edge">
          {lostLine}
          <AlarmsOutOfSight view={view} />
        </div>
        <Part area="alarms" name="Alarmes" keepsHeight={isStale}>
          <AlarmPanel view={view} send={send} />
        </Part>
        <Part area="log" name="Registro">
          <LazyLog view={view} onReplay={onReplay} />
        </Part>
        <Part area="actions" name="Lançamentos">
          <DeskActions view={view} send={send} />
        </Part>
      </div>
      <div className="desk-column desk-middle">
        <Part area="rows" name="Setores">
          <SectorRows view={view} onOpen={openSector} />
        </Part>
      </div>
      <div className="desk-column desk-right">
        <Part area="total" name="Total">
          <Total view={view} />
        </Part>
        <Part area="answer" name="Previsão" keepsHeight={isStale}>
          <Answer view={view} />
        </Part>
        <Part area="curve" name="Curva">
          <LazyCurve view={view} sector={sector} onReplay={onReplay} onClose={closeSector} />
        </Part>
      </div>
    </div>
  );
}
