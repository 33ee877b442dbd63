import type { AlarmRule } from '../../model/alarms/alarm.ts';

/** The shapes are drawn, as no font has all of them. */
const PATHS: Readonly<Record<AlarmRule, string>> = {
  stopped: 'M1 1h14v14H1z',
  'several-stopped': 'M0 0h7v7H0zM9 0h7v7H9zM0 9h7v7H0zM9 9h7v7H9z',
  dropped: 'M0 2h16L8 15z',
  'ground-dropped': 'M0 0h16L8 8zM0 8h16l-8 8z',
  'no-data': 'M8 0a8 8 0 1 0 0 16A8 8 0 0 0 8 0zm0 3.4a4.6 4.6 0 1 1 0 9.2a4.6 4.6 0 0 1 0-9.2z',
  'near-capacity': 'M1 0h14v16H1zM3.4 2.4v3.2h9.2V2.4z',
  'at-capacity': 'M1 0h14v16H1zM3.4 2.2v1.4h9.2V2.2z',
  'above-capacity': 'M8 0l8 15H0z',
};

export function AlarmShape({ rule }: { readonly rule: AlarmRule }) {
  return (
    <svg className="alarm-shape" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[rule]} fill="currentColor" fillRule="evenodd" />
    </svg>
  );
}
