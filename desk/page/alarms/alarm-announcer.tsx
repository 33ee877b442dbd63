import { useEffect, useRef, useState } from 'react';
import type { DeskView } from '../desk-view.ts';
import { evacuationWords } from '../evacuation-words.ts';
import { announceAlarms, callingAlarms, titleWith, titleWithout } from './announcement.ts';
import { callOf } from './calling-alarms.ts';

interface Announcement {
  readonly text: string;
  readonly count: number;
}

function withoutText(announcement: Announcement): Announcement {
  return announcement.text === '' ? announcement : { text: '', count: announcement.count };
}

/**
 * The one assertive live region of the desk, there before its first text, and the tab's title. Both say what is now: of a
 * recorded minute, nothing.
 */
export function AlarmAnnouncer({ view }: { readonly view: DeskView }) {
  const said = useRef<ReadonlySet<string>>(new Set());
  const saidEvacuationMs = useRef<number | null>(null);
  const [announcement, setAnnouncement] = useState<Announcement>({ text: '', count: 0 });
  const isReplayed = view.replay !== null;
  const calling = isReplayed ? [] : callingAlarms(view);

  useEffect(() => {
    if (isReplayed) return;
    const { evacuatedAtMs } = view.state;
    const isNewEvacuation = evacuatedAtMs !== null && saidEvacuationMs.current !== evacuatedAtMs;
    saidEvacuationMs.current = evacuatedAtMs;
    const text = isNewEvacuation
      ? `EVACUAÇÃO EM VIGOR ${evacuationWords(view) ?? ''}`
      : announceAlarms(said.current, view);
    said.current = new Set(callingAlarms(view).map(callOf));
    if (text !== undefined) setAnnouncement(({ count }) => ({ text, count: count + 1 }));
    // Whoever reads through the page must not find there what is over.
    else if (said.current.size === 0 && evacuatedAtMs === null) setAnnouncement(withoutText);
  }, [isReplayed, view]);

  const title = titleWith('', calling, !isReplayed && view.state.evacuatedAtMs !== null);
  useEffect(() => {
    document.title = title + titleWithout(document.title);
  }, [title]);
  useEffect(
    () => () => {
      document.title = titleWithout(document.title);
    },
    [],
  );

  return (
    <div className="alarm-announcer unseen" role="alert">
      {/* The same words again are heard again. */}
      <p key={announcement.count}>{announcement.text}</p>
    </div>
  );
}
