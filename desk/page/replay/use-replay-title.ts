import { useEffect } from 'react';
import { titleWithout } from '../alarms/announcement.ts';

/** The tab's title names the displayed minute behind the alarms of the present. */
export function useReplayTitle(name: string | null): void {
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
