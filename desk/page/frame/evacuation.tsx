import type { DeskView } from '../desk-view.ts';
import { evacuationWords } from '../evacuation-words.ts';

/** Stands above everything during an evacuation; for a recorded minute it is only stated. */
export function Evacuation({ view }: { readonly view: DeskView }) {
  const words = evacuationWords(view);
  if (words === null) return null;
  if (view.replay !== null) {
    return (
      <section className="evacuation" data-is-recorded="" aria-labelledby="evacuation-heading">
        <h2 id="evacuation-heading">neste minuto havia evacuação</h2>
        <p className="evacuation-facts">{words}</p>
      </section>
    );
  }
  return (
    <section className="evacuation" aria-labelledby="evacuation-heading">
      <h2 id="evacuation-heading">EVACUAÇÃO EM VIGOR</h2>
      <p className="evacuation-facts">{words}</p>
      <p>
        Siga o plano de evacuação: a mesa não avisa ninguém fora da sala
        {view.evacuationText !== undefined && `, só o telão diz “${view.evacuationText}”`}. Alarmes e previsão
        estão parados.
      </p>
    </section>
  );
}
