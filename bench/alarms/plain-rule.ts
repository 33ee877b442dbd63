import { FlowSeries } from '../../desk/model/series/flow-series.ts';
import { MINUTE_MS } from '../../desk/model/series/minute.ts';
import type { GeneratedMatch } from '../../gates/simulator/generated/generated-match.ts';
import { playMatch } from '../../desk/tool/play-match.ts';

/** The rule that suggests itself: a fifth fewer than in the minute before. */
const BELOW = 0.8;

/** How often it would be raised in a match, between the opening of the gates and kick-off, in sectors with any flow. */
export function countPlainAlarms(match: GeneratedMatch, kickOffMs: number): number {
  const series = new FlowSeries({ sectorCount: match.sectors.length + 1 });
  playMatch(match, series, { kickOffMs, untilMinute: 0 });
  let raised = 0;
  for (let sector = 0; sector < match.sectors.length; sector += 1) {
    let wasBelow = false;
    for (let ms = kickOffMs + match.gatesOpenMs; ms + MINUTE_MS < kickOffMs; ms += MINUTE_MS) {
      const [before, last] = [series.flow(ms, sector) ?? 0, series.flow(ms + MINUTE_MS, sector) ?? 0];
      const isBelow = last < BELOW * before;
      if (isBelow && !wasBelow) raised += 1;
      wasBelow = isBelow;
    }
  }
  return raised;
}
