import type { ShownSector } from '../../../domain/shown-venue.ts';
import { GROUND_NAME, OTHERS_NAME } from './sector-name.ts';

/** The values of no choice and of the whole ground; no row's code begins with a blank. */
const UNCHOSEN = ' ';
const GROUND = ' estádio';

interface SectorSelectProps {
  readonly label: string;
  readonly sectors: readonly ShownSector[];
  /** A row's code, '' for the others, null for the whole ground, undefined before a choice. */
  readonly value: string | null | undefined;
  readonly disabled: boolean;
  readonly onChange: (sector: string | null) => void;
}

export function SectorSelect({ label, sectors, value, disabled, onChange }: SectorSelectProps) {
  const choose = (chosen: string) => {
    if (chosen !== UNCHOSEN) onChange(chosen === GROUND ? null : chosen);
  };
  return (
    <label>
      {label}
      <select
        value={value === undefined ? UNCHOSEN : (value ?? GROUND)}
        disabled={disabled}
        data-first=""
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {value === undefined && <option value={UNCHOSEN}>escolha o setor</option>}
        {sectors.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
        <option value="">{OTHERS_NAME}</option>
        <option value={GROUND}>{GROUND_NAME} inteiro</option>
      </select>
    </label>
  );
}
