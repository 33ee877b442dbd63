import { type ComponentType, createElement, type ReactNode } from 'react';
import { loadPart } from '../../../page/lazy-part.ts';
import { useStore } from '../../../page/use-store.ts';

/** The parts start to load with this module; nothing stands in their places until then. */
export const LazyCurve = shownOnceLoaded(async () => (await import('../curve/curve-area.tsx')).CurveArea);
export const LazyLog = shownOnceLoaded(async () => (await import('../log/log-panel.tsx')).LogPanel);

function shownOnceLoaded<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => ReactNode {
  const part = loadPart(load);
  return function LazyPart(props) {
    const Loaded = useStore(part, (loaded) => loaded);
    return Loaded ? createElement(Loaded, props) : null;
  };
}
