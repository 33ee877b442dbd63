import { createElement } from 'react';
import { loadPart } from '../../../page/lazy-part.ts';
import { useStore } from '../../../page/use-store.ts';
import type { CurveProps } from '../curve/curve.tsx';

const part = loadPart(async () => (await import('../curve/curve.tsx')).Curve);

export function LazyCurve(props: CurveProps) {
  const Curve = useStore(part, (loaded) => loaded);
  return Curve ? createElement(Curve, props) : null;
}
