import { type FigureNames, type MatchFigures, MOMENT_NAMES, PEAK_NAMES } from './match-figures.ts';
import { RecordTable } from './record-table.tsx';

interface SectorPageProps {
  readonly figures: readonly MatchFigures[];
  readonly names: FigureNames;
}

export function SectorPage({ figures, names }: SectorPageProps) {
  const named = figures.map((of, index) => ({ of, key: of.key, isTotal: index === 0, name: nameCell(of) }));
  return (
    <div className="record-sectors">
      <RecordTable
        title="Setores: acessos registrados"
        columns={['setor', 'válidos', ...MOMENT_NAMES, names.admitted, names.missing]}
        rows={named.map(({ of, key, isTotal, name }) => ({
          key,
          isTotal,
          cells: [name, of.valid, ...of.atMoments, of.admitted, of.missing],
        }))}
        note={`T−60: 60 minutos antes do início. ${names.notes.missing}`}
        className="is-figures"
      />
      <RecordTable
        title={names.arrived.length === 0 ? 'Setores: picos' : 'Setores: picos e chegada'}
        columns={['setor', ...PEAK_NAMES, ...names.arrived]}
        rows={named.map(({ of, key, isTotal, name }) => ({
          key,
          isTotal,
          cells: [name, ...of.peaks, ...of.arrived],
        }))}
        note={`Picos: acessos no período, sem lotes, entre os minutos conhecidos; a hora é a do começo. ${names.notes.arrived}`}
        className="is-figures"
      />
    </div>
  );
}

function nameCell({ name, caveat }: MatchFigures) {
  return caveat === null ? (
    name
  ) : (
    <>
      {name}
      <small>{caveat}</small>
    </>
  );
}
