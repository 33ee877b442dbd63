import { SECTOR_CODES } from '../../domain/venue.ts';
import type { BoardProps } from './board-props.ts';
import { SECTOR_NAMES } from './sector-names.ts';
import { SectorTable } from './sector-table.tsx';

const SECTORS = SECTOR_CODES.map((code) => ({ code, name: SECTOR_NAMES[code] }));

/** The table of the default venue: a lazy part, so that the names are no part of what connects. */
export function DefaultVenueTable({ state }: BoardProps) {
  return <SectorTable state={state} sectors={SECTORS} />;
}
