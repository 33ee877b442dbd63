import { createElement } from 'react';
import { loadPart } from '../../../page/lazy-part.ts';
import { useStore } from '../../../page/use-store.ts';
import type { CurveAreaProps } from '../curve/curve-area.tsx';

const part = loadPart(async () => (await import('../curve/curve-area.tsx')).CurveArea);

export function LazyCurve(props: CurveAreaProps) {
  const CurveArea = useStore(part, (loaded) => loaded);
  return CurveArea ? createElement(CurveArea, props) : null;
}
