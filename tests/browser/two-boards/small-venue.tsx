import type { BoardProps } from '../../../board/page/board-props.ts';
import { SectorTable } from '../../../board/page/sector-table.tsx';

const SECTORS = [
  { code: '7', name: 'SUL', stand: 'SUL' },
  { code: '4', name: 'NORTE', stand: 'NORTE' },
] as const;

export function SmallVenueTable({ state }: BoardProps) {
  return <SectorTable state={state} sectors={SECTORS} />;
}
