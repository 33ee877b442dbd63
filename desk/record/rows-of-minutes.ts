import type { Row } from '../../domain/event-state.ts';
import { FormerRows } from '../model/former-rows.ts';
import type { LogRow } from '../model/log/flow-log.ts';
import { MINUTE_MS, type Minute } from '../model/series/minute.ts';
import { minuteOf, type SectorCells } from './recorded-minute.ts';

/** Gives recorded minutes to the rows of now, by the rows of the server that watched each, as the log says. */
export class RowsOfMinutes {
  readonly #rows: readonly Row[];
  /** Those of each server that started, in the order of the log. */
  readonly #starts: { readonly atMs: number; readonly rows: FormerRows }[] = [];

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
  }

  /** Takes further rows of the log, in its order. */
  read(log: readonly LogRow[]): void {
    for (const row of log)
      if (row.kind === 'started') this.#starts.push({ atMs: row.atMs, rows: new FormerRows(row.data.codes) });
  }

  /** `undefined` where a row of now was not counted apart. */
  minuteOf(minuteMs: number, cells: readonly SectorCells[]): Minute | undefined {
    const start = this.#starts.findLast(({ atMs }) => atMs < minuteMs + MINUTE_MS);
    return minuteOf(minuteMs, cells, this.#rows, start?.rows);
  }
}
