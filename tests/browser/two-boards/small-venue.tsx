import type { BoardProps } from '../../../web/board/board-props.ts';
import { SectorTable } from '../../../web/board/sector-table.tsx';

const SECTORS = [
  { code: '7', name: 'SUL', stand: 'SUL' },
  { code: '4', name: 'NORTE', stand: 'NORTE' },
] as const;

export function SmallVenueTable({ state }: BoardProps) {
  return <SectorTable state={state} sectors={SECTORS} />;
}
