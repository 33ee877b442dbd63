import { VIEW_SYSTEM } from '../../../domain/connection-marks.ts';
import { UsageError } from '../../cli/errors.ts';
import type { SourceTable, System } from '../system.ts';

/**
 * Describes a system by a query of the operator's. `tables` has the form `TABLE(GROUP,COLUMN,…) TABLE(…)`: the first column of
 * each table has the value that is `grp` in the query.
 *
 * @throws UsageError where the list of tables is malformed.
 */
export function ownView(query: string, tables: string): System {
  const parts = tables.trim().split(/\s+(?![^(]*\))/);
  const [first, ...rest] = parts.map(readTable);
  if (!first) throw new UsageError('--tables names no table.');
  const text = query.trim().replace(/;\s*$/, '');
  return { name: VIEW_SYSTEM, tables: [first, ...rest], view: () => text };
}

function readTable(text: string): SourceTable {
  const [, name, list] = /^((?:\w+\.)?\w+)\(([\w\s,]+)\)$/.exec(text) ?? [];
  const [group, ...columns] = (list ?? '').split(',').map((column) => column.trim());
  if (name === undefined || !group)
    throw new UsageError(`--tables has "${text}", which is not of the form TABLE(GROUP,COLUMN,…).`);
  return { name: name.replace(/^public\./, ''), columns: [group, ...columns], group };
}
