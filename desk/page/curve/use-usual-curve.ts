import { useEffect, useState } from 'react';
import type { UsualCurve } from '../../model/forecast/usual-curve.ts';
import type { DeskView } from '../desk-view.ts';
import { outlookOf } from './curve-model.ts';

/** Changes when the usual curve must be read again, as when more earlier matches are known. */
export function usualKey(view: DeskView, sector: string | null): string {
  const { rows } = view.state;
  const index = sector === null ? undefined : rows.findIndex(({ code }) => code === sector);
  const outlook = outlookOf(view, index);
  const matches = outlook && 'matches' in outlook.range ? outlook.range.matches : 0;
  return JSON.stringify([
    matches,
    outlook?.expected.matches ?? 0,
    outlook !== null && outlook.usual !== null,
  ]);
}

interface UsualRead {
  readonly path: string;
  readonly key: string;
  readonly usual: UsualCurve | null;
}

/** Reads the usual curve from the server; null until it arrives, or where there is none. */
export function useUsualCurve(view: DeskView, sector: string | null): UsualCurve | null {
  const { eventId } = view.state;
  const path = usualPath(eventId, sector);
  const key = usualKey(view, sector);
  const [read, setRead] = useState<UsualRead | null>(null);
  useEffect(() => {
    const stopping = new AbortController();
    void readUsual(path, stopping.signal).then((usual) => {
      if (usual !== undefined && !stopping.signal.aborted) setRead({ path, key, usual });
    });
    return () => stopping.abort();
  }, [path, key]);
  return read?.path === path ? read.usual : null;
}

function usualPath(eventId: string, sector: string | null): string {
  const query = sector === null ? '' : `?sector=${encodeURIComponent(sector)}`;
  return `/fluxo/api/events/${encodeURIComponent(eventId)}/usual${query}`;
}

/** Returns undefined after a failure, which leaves the former curve in place. */
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
