import { useEffect, useState } from 'react';
import type { UsualCurve } from '../../model/forecast/usual-curve.ts';
import type { DeskView } from '../desk-view.ts';
import { outlookOf } from './curve-model.ts';

/** When what is usual has to be read again: another sector or event, or earlier matches that tell more. */
export function usualKey(view: DeskView, sector: string | null): string {
  const { rows } = view.state;
  const place = sector === null ? undefined : rows.findIndex(({ code }) => code === sector);
  const outlook = outlookOf(view, place);
  const matches = outlook && 'matches' in outlook.range ? outlook.range.matches : 0;
  return JSON.stringify([
    matches,
    outlook?.expected.matches ?? 0,
    outlook !== null && outlook.usual !== null,
  ]);
}

interface UsualRead {
  readonly place: string;
  /** What made it be read. */
  readonly key: string;
  readonly usual: UsualCurve | null;
}

/** What is usual, as the server says; null before it has, where nothing is, and where it cannot be read. */
export function useUsualCurve(view: DeskView, sector: string | null): UsualCurve | null {
  const { eventId } = view.state;
  const place = usualPath(eventId, sector);
  const key = usualKey(view, sector);
  const [read, setRead] = useState<UsualRead | null>(null);
  useEffect(() => {
    const stopping = new AbortController();
    void readUsual(place, stopping.signal).then((usual) => {
      if (usual !== undefined && !stopping.signal.aborted) setRead({ place, key, usual });
    });
    return () => stopping.abort();
  }, [place, key]);
  return read?.place === place ? read.usual : null;
}

function usualPath(eventId: string, sector: string | null): string {
  const query = sector === null ? '' : `?sector=${encodeURIComponent(sector)}`;
  return `/fluxo/api/events/${encodeURIComponent(eventId)}/usual${query}`;
}

/** Undefined where it cannot be read: what was read before holds. */
async function readUsual(path: string, signal: AbortSignal): Promise<UsualCurve | null | undefined> {
  try {
    const response = await fetch(path, { signal });
    if (!response.ok) return undefined;
    const { usual } = (await response.json()) as { usual: UsualCurve | null };
    return usual;
  } catch {
    return undefined;
  }
}
