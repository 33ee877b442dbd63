import { createElement } from 'react';
import { loadPart } from '../../../page/lazy-part.ts';
import { useStore } from '../../../page/use-store.ts';
import type { CurveProps } from '../curve/curve.tsx';

/** Its code comes on its own, and begins to load now: nothing else waits for it. */
const part = loadPart(async () => (await import('../curve/curve.tsx')).Curve);

/** The curve, once it is there; its place is kept free. */
export function LazyCurve(props: CurveProps) {
  const Curve = useStore(part, (loaded) => loaded);
  return Curve ? createElement(Curve, props) : null;
}
