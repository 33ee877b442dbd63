import type { DeskView } from '../desk-view.ts';
import { totalWords } from './total-words.ts';

export function Total({ view }: { readonly view: DeskView }) {
  const { label, admitted, doubts, estimate, facts, caveats, isStale, isEvacuated } = totalWords(view);
  return (
    <section
      className="total"
      aria-labelledby="total-label"
      data-stale={isStale || undefined}
      data-evacuated={isEvacuated || undefined}
    >
      <h2 className="answer-label" id="total-label">
        {label}
      </h2>
      <div className="total-figure">
        <p className="total-admitted">{admitted}</p>
        {doubts.map((doubt) => (
          <p className="doubt" key={doubt}>
            {doubt}
          </p>
        ))}
      </div>
      {estimate !== null && <p className="total-estimate">{estimate}</p>}
      <p className="total-facts">{facts.join('\u00A0· ')}</p>
      {caveats.map((caveat) => (
        <p className="caveat" key={caveat}>
          {caveat}
        </p>
      ))}
    </section>
  );
}
