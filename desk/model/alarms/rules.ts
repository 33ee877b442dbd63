import type { AlarmRule } from './alarm.ts';

interface RuleTraits {
  /** It judges the flow, so that it needs minutes, and is withdrawn where none are expected. */
  readonly isOfFlow: boolean;
  /** An acknowledged alarm calls again after a while. Those of capacity do not: nobody can make a full sector less full. */
  readonly callsAgain: boolean;
}

export const RULES: Readonly<Record<AlarmRule, RuleTraits>> = {
  stopped: { isOfFlow: true, callsAgain: true },
  dropped: { isOfFlow: true, callsAgain: true },
  'ground-dropped': { isOfFlow: true, callsAgain: true },
  'several-stopped': { isOfFlow: true, callsAgain: true },
  'no-data': { isOfFlow: false, callsAgain: true },
  'near-capacity': { isOfFlow: false, callsAgain: false },
  'at-capacity': { isOfFlow: false, callsAgain: false },
  'above-capacity': { isOfFlow: false, callsAgain: false },
};

export const ALARM_RULES = Object.keys(RULES) as readonly AlarmRule[];
