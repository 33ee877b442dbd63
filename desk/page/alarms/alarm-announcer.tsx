import { useEffect, useRef, useState } from 'react';
import type { DeskView } from '../desk-view.ts';
import { announce, callingAlarms, NOTHING_ANNOUNCED, titleWith, titleWithout } from './announcement.ts';

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
  const announced = useRef(NOTHING_ANNOUNCED);
  const [announcement, setAnnouncement] = useState<Announcement>({ text: '', count: 0 });
  const isReplayed = view.replay !== null;
  const calling = isReplayed ? [] : callingAlarms(view);

  useEffect(() => {
    if (isReplayed) return;
    const next = announce(announced.current, view);
    announced.current = next.announced;
    const { text } = next;
    if (text === '') setAnnouncement(withoutText);
    else if (text !== undefined) setAnnouncement(({ count }) => ({ text, count: count + 1 }));
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
