import { useId, useMemo, useState } from 'react';
import type { UsualCurve } from '../../model/forecast/usual-curve.ts';
import type { DeskView } from '../desk-view.ts';
import { CurveDrawing } from './curve-drawing.tsx';
import { layOutCurve } from './curve-layout.ts';
import { curveModel } from './curve-model.ts';
import { curveName, curveSentence } from './curve-sentence.ts';
import { nameIncomplete } from '../caveats.ts';
import { MarkerLegend } from './marker-shape.tsx';
import { MinuteCursor } from './minute-cursor.tsx';
import { type MinuteReading, minuteReadings, readingWords } from './minute-reading.ts';
import { MinuteTable } from './minute-table.tsx';
import { useBoxSize } from './use-box-size.ts';
import { useDrawnView } from './use-drawn-view.ts';
import { useUsualCurve } from './use-usual-curve.ts';

export interface CurveProps {
  readonly view: DeskView;
  /** A row's code, '' for the others, null for the whole ground. */
  readonly sector: string | null;
  /** Opens the recorded minute that begins at `minuteMs`. */
  readonly onReplay?: ((minuteMs: number) => void) | undefined;
}

/** Draws how people entered and what is expected, with each minute's figures. */
export function Curve({ view, sector, onReplay }: CurveProps) {
  const drawn = useDrawnView(view);
  const usual = useUsualCurve(drawn, sector);
  return <CurveFigure view={drawn} sector={sector} usual={usual} onReplay={onReplay} />;
}

interface CurveFigureProps extends CurveProps {
  readonly usual: UsualCurve | null;
}

export function CurveFigure({ view, sector, usual, onReplay }: CurveFigureProps) {
  const [box, size] = useBoxSize();
  const id = useId();
  const model = useMemo(() => curveModel(view, sector, usual), [view, sector, usual]);
  const layout = useMemo(() => size && layOutCurve(model, size), [model, size]);
  const readings = useMemo(() => minuteReadings(model), [model]);
  const [selected, setSelected] = useState<number | null>(null);
  const reading = selected === null ? undefined : readings[selected];
  const replay = (minuteMs: number): void => {
    setSelected(null);
    onReplay?.(minuteMs);
  };
  // Since when, the total says. A sector's caveat stands among its figures.
  const caveat = sector === null ? nameIncomplete(view) : null;
  const kinds = [...new Set(layout?.markers.map(({ kind }) => kind))];
  const [nameId, sentenceId] = [`${id}name`, `${id}sentence`];
  return (
    <figure className="curve" aria-labelledby={nameId}>
      <figcaption>
        <h2 className="answer-label" id={nameId}>
          {curveName(view, sector)}
        </h2>
        <p className="unseen" id={sentenceId}>
          {curveSentence(view, sector, model)}
        </p>
        {caveat !== null && <p className="caveat">{caveat}</p>}
        <p className="curve-reading" data-is-reading={reading !== undefined}>
          {reading ? readingWords(reading) : hint(readings.length)}
        </p>
      </figcaption>
      <div className="curve-box" ref={box}>
        {layout && <CurveDrawing layout={layout} nameId={nameId} sentenceId={sentenceId} />}
        {layout && readings.length > 0 && (
          <MinuteCursor
            layout={layout}
            readings={readings}
            selected={reading ? selected : null}
            onSelect={setSelected}
            onOpen={replay}
          />
        )}
      </div>
      <div className="curve-foot">
        {onReplay && <ReplayButton reading={reading} view={view} last={readings.at(-1)} onReplay={replay} />}
        <MarkerLegend kinds={kinds} />
        {readings.length > 0 && <MinuteTable readings={readings} />}
      </div>
    </figure>
  );
}

function hint(minutes: number): string {
  return minutes === 0
    ? 'nenhum minuto conhecido neste período'
    : 'aponte um minuto, ou use as setas, para lê-lo';
}

interface ReplayButtonProps {
  readonly view: DeskView;
  readonly reading: MinuteReading | undefined;
  readonly last: MinuteReading | undefined;
  readonly onReplay: (minuteMs: number) => void;
}

/** Opens the selected minute, or the last one. */
function ReplayButton({ view, reading, last, onReplay }: ReplayButtonProps) {
  const minute = reading ?? (view.replay === null ? last : undefined);
  return (
    <p className="curve-replay">
      {minute && (
        <button
          type="button"
          // The focus stays, and with it the selection.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onReplay(minute.minuteMs)}
        >
          {reading ? `voltar a ${reading.time}` : 'voltar a um minuto'}
        </button>
      )}
    </p>
  );
}
