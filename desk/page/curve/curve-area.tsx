import { SectorPanel } from '../rows/sector-panel.tsx';
import { Curve, type CurveProps } from './curve.tsx';

export interface CurveAreaProps extends CurveProps {
  readonly onClose: () => void;
}

/** The curve of the whole ground, or of the open sector within its panel. */
export function CurveArea({ onClose, ...props }: CurveAreaProps) {
  const { view, sector } = props;
  const curve = <Curve {...props} />;
  if (sector === null) return curve;
  return (
    <SectorPanel key={sector} view={view} code={sector} onClose={onClose}>
      {curve}
    </SectorPanel>
  );
}
