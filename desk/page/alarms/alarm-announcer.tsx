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
 * The desk's only assertive live region, present before its first text, and the tab's title. Both describe the present, and are
 * empty while a recorded minute is displayed.
 */
export function AlarmAnnouncer({ view }: { readonly view: DeskView }) {
  const announced = useRef<ReadonlySet<string>>(new Set());
  const announcedEvacuationMs = useRef<number | null>(null);
  const [announcement, setAnnouncement] = useState<Announcement>({ text: '', count: 0 });
  const isReplayed = view.replay !== null;
  const calling = isReplayed ? [] : callingAlarms(view);

  useEffect(() => {
    if (isReplayed) return;
    const { evacuatedAtMs } = view.state;
    const isNewEvacuation = evacuatedAtMs !== null && announcedEvacuationMs.current !== evacuatedAtMs;
    const hasEvacuationEnded = evacuatedAtMs === null && announcedEvacuationMs.current !== null;
    announcedEvacuationMs.current = evacuatedAtMs;
    const text = isNewEvacuation
      ? `EVACUAÇÃO EM VIGOR ${evacuationWords(view) ?? ''}`
      : announceAlarms(announced.current, view);
    announced.current = new Set(callingAlarms(view).map(callOf));
    if (text !== undefined) setAnnouncement(({ count }) => ({ text, count: count + 1 }));
    // A reader of the page must not find an announcement that is over.
    else if (hasEvacuationEnded || (announced.current.size === 0 && evacuatedAtMs === null))
      setAnnouncement(withoutText);
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
      {/* A new element repeats the same words. */}
      <p key={announcement.count}>{announcement.text}</p>
    </div>
  );
}
