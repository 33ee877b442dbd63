import type { CSSProperties } from 'react';
import { useStore } from '../../page/use-store.ts';
import { Count } from './count.tsx';
import { formatCount } from '../../page/design/number-format.ts';
import type { BoardProps } from './board-props.ts';

/** The markup equals that of index.html, so that replacing it changes nothing. */
export function AdmittedTotal({ state }: BoardProps) {
  const total = useStore(state, ({ shown }) => shown?.counts.total);
  const isIncomplete = useStore(state, ({ incomplete }) => incomplete.some((row) => !row.kind));
  return (
    <section className="admitted">
      <h2>acessos</h2>
      {isIncomplete && total !== undefined && <p className="incomplete">contagem incompleta: no mínimo</p>}
      {total === undefined ? (
        <p className="total">carregando...</p>
      ) : (
        <p className="total" data-known="" style={widthInEm(formatCount(total))}>
          <Count value={total} />
        </p>
      )}
    </section>
  );
}

/** Widths of Inter's tabular digits and of its full stop, in em, at the weight and spacing of the total. */
const DIGIT_EM = 0.625;
const POINT_EM = 0.25;

/** The style sheet fits the total into the screen by its width. */
function widthInEm(text: string): CSSProperties {
  let width = 0;
  for (const character of text) width += character === '.' ? POINT_EM : DIGIT_EM;
  return { '--width-em': width.toFixed(2) } as CSSProperties;
}
