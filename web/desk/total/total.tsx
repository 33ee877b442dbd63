import type { DeskView } from '../desk-view.ts';
import { totalWords } from './total-words.ts';

/** How many are in, of how many, and what of that is not known. */
export function Total({ view }: { readonly view: DeskView }) {
  const { label, admitted, facts, taints, isStale } = totalWords(view);
  return (
    <section className="total" aria-labelledby="total-label" data-stale={isStale || undefined}>
      <h2 className="answer-label" id="total-label">
        {label}
      </h2>
      <p className="total-admitted">{admitted}</p>
      <p className="total-facts">{facts.join('\u00A0· ')}</p>
      {taints.map((taint) => (
        <p className="taint" key={taint}>
          {taint}
        </p>
      ))}
    </section>
  );
}
