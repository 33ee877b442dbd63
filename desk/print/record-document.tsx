import { readReport } from '../model/log/record-report.ts';
import { EventPages } from './event-pages.tsx';
import { figureNames, readFigures } from './match-figures.ts';
import { isSimulated, proofLines } from './proof-lines.ts';
import type { RecordView } from './record-view.ts';
import { SectorPage } from './sector-page.tsx';
import { SummaryPage } from './summary-page.tsx';

/** The record for paper: summary, sectors, events, and how it is verified. */
export function RecordDocument({ view }: { readonly view: RecordView }) {
  const { desk, proof } = view;
  const report = readReport(desk.log);
  const [ground, ...sectors] = readFigures(view);
  const names = figureNames(view);
  const url = `/fluxo/api/events/${encodeURIComponent(desk.state.eventId)}/record`;
  if (!ground) return null;
  return (
    <article className="record" data-simulated={isSimulated(proof, desk.log) || undefined}>
      <nav className="record-actions" aria-label="registro">
        <button type="button" onClick={() => window.print()}>
          Imprimir
        </button>
        <a href={`${url}/minutes-excel.csv?to=${proof.minutes.to}`} download>
          Minutos (Excel)
        </a>
        <a href={`${url}/log-excel.csv?to=${proof.log.to}`} download>
          Registro (Excel)
        </a>
        <small>
          para programas:
          <a href={`${url}/minutes.csv?to=${proof.minutes.to}`} download>
            minutes.csv
          </a>
          <a href={`${url}/log.csv?to=${proof.log.to}`} download>
            log.csv
          </a>
        </small>
        <a href="/fluxo">Voltar à mesa</a>
      </nav>
      <SummaryPage view={view} report={report} ground={ground} names={names} />
      <SectorPage figures={[ground, ...sectors]} names={names} />
      <EventPages view={view} report={report} />
      <section className="record-section record-proof">
        <h2>Como conferir</h2>
        <p>
          minutes.csv e log.csv têm tudo o que está aqui. Cada um, baixado até a mesma linha, tem o SHA-256
          abaixo; as planilhas não. O último elo confere com <code>gates -- record verify --link</code>.
          Acessos são registros de leitura, não pessoas presentes; a fila não é medida.
        </p>
        <ul>
          {proofLines(view).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </section>
    </article>
  );
}
