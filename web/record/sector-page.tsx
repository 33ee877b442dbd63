import { ARRIVED_NAMES, type MatchFigures, MOMENT_NAMES, PEAK_NAMES } from './match-figures.ts';
import { RecordTable } from './record-table.tsx';

/** The second page: the same of every sector. */
export function SectorPage({ figures }: { readonly figures: readonly MatchFigures[] }) {
  const named = figures.map((of, place) => ({ of, key: of.key, isTotal: place === 0, name: nameCell(of) }));
  return (
    <div className="record-sectors">
      <RecordTable
        title="Setores: acessos registrados"
        columns={['setor', 'válidos', ...MOMENT_NAMES, 'fim', 'não vieram']}
        rows={named.map(({ of, key, isTotal, name }) => ({
          key,
          isTotal,
          cells: [name, of.valid, ...of.atMoments, of.admitted, of.notCome],
        }))}
        empty=""
        note="T−60: 60 minutos antes do início. Não vieram: ingressos válidos sem acesso registrado no fim; no máximo, onde a contagem está incompleta."
        className="is-figures"
      />
      <RecordTable
        title="Setores: picos e chegada"
        columns={['setor', ...PEAK_NAMES, ...ARRIVED_NAMES]}
        rows={named.map(({ of, key, isTotal, name }) => ({
          key,
          isTotal,
          cells: [name, ...of.peaks, ...of.arrived],
        }))}
        empty=""
        note="Picos: acessos no período, sem lotes, entre os minutos conhecidos; a hora é a do começo. 50% às: quando metade do número final estava dentro, ao minuto."
        className="is-figures"
      />
    </div>
  );
}

function nameCell({ name, taint }: MatchFigures) {
  return taint === null ? (
    name
  ) : (
    <>
      {name}
      <small>{taint}</small>
    </>
  );
}
