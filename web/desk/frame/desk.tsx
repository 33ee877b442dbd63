import { useState } from 'react';
import { createPortal } from 'react-dom';
import { useStore } from '../../live/use-store.ts';
import type { DeskView } from '../desk-view.ts';
import type { OpenDesk } from '../open-desk.ts';
import { SignInDialog } from '../session/sign-in-dialog.tsx';
import type { LinkFragment } from '../session/link-fragment.ts';
import { Notices } from './notices.tsx';
import { Strip } from './strip.tsx';

/** Everything on the page but its title. */
export function Desk(props: {
  readonly desk: OpenDesk;
  readonly link: LinkFragment | undefined;
  readonly strip: Element;
}) {
  const { desk, link, strip } = props;
  const view = useStore(desk.page, (page) => page.view);
  return (
    <>
      {createPortal(<Strip desk={desk} />, strip)}
      <Notices desk={desk} />
      {view && <DeskParts view={view} />}
      <SignInDialog session={desk.session} link={link} />
    </>
  );
}

/** The parts in their places (frame.css). They are functions of the view, and of the sector that was opened. */
function DeskParts({ view }: { readonly view: DeskView }) {
  const [sector] = useState<string | null>(null);
  return (
    <div
      className="desk"
      data-stale={view.status.kind === 'live' ? undefined : ''}
      data-sector={sector ?? undefined}
    >
      <div className="desk-column desk-left" />
      <div className="desk-column desk-middle" />
      <div className="desk-column desk-right" />
    </div>
  );
}
