import type { FlowSeries } from './flow-series.ts';

/** What can be asked of a series as of one moment, whether it is now or a recorded minute's end. */
export type SeriesReading = Pick<
  FlowSeries,
  'sectorCount' | 'passedMs' | 'totals' | 'flow' | 'admittedAt' | 'flowBetween' | 'bestRate' | 'lastEntryAtMs'
>;
