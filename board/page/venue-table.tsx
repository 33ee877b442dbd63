import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { useStore } from '../../page/use-store.ts';
import type { BoardProps } from './board-props.ts';
import { SectorTable } from './sector-table.tsx';

/** The venue's table loads lazily, so that the default venue's names do not delay the connection. */
export function VenueTable({ state }: BoardProps) {
  const venue = useStore(state, (current) => current.venue);
  const sectors = venue?.sectors ?? DEFAULT_VENUE.sectors;
  return <SectorTable key={venue?.venueId ?? ''} state={state} sectors={sectors} />;
}
