import type postgres from 'postgres';
import type { Source } from '../model/log/flow-log.ts';
import type { MinuteOfSector } from '../model/series/minute.ts';

const ROWS_AT_ONCE = 5_000;

/** A row of `triagem.minutes` without event and source. Omitted fields are unknown, or zero for `lots`. */
export interface NewMinute
  extends
    Pick<MinuteOfSector, 'admitted' | 'net' | 'valid'>,
    Partial<Omit<MinuteOfSector, 'admitted' | 'net' | 'valid'>> {
  readonly minuteMs: number;
  /** A row's code, or '' for the others. */
  readonly sector: string;
}

/** Adds minutes to the record; the transaction must hold its lock. `importId` is empty unless the source is an import. */
export async function insertMinutes(
  sql: postgres.Sql,
  of: { readonly eventId: string; readonly source: Source; readonly importId: string },
  rows: readonly NewMinute[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const some = rows.slice(from, from + ROWS_AT_ONCE).map((row) => {
      const { minuteMs, sector, admitted, net, entered, reverted, moved, lots = 0, valid } = row;
      return { at: minuteMs / 1_000, sector, admitted, net, entered, reverted, moved, lots, valid };
    });
    await sql`
      insert into triagem.minutes
        (event_id, source, import_id, minute, sector, admitted, net, entered, reverted, moved, lots, valid)
      select ${of.eventId}, ${of.source}, ${of.importId}, to_timestamp(at), sector, admitted, net, entered, reverted,
        moved, lots, valid
      from json_to_recordset(${JSON.stringify(some)}::text::json) as r (at bigint, sector text, admitted int, net int,
        entered int, reverted int, moved int, lots int, valid int)`;
  }
}
