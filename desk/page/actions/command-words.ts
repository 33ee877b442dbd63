import type { LogKind } from '../../model/log/flow-log.ts';
import type { DeskView, NewCommand } from '../desk-view.ts';
import { sectorName } from './sector-name.ts';
import { takeBackWords } from './take-back-words.ts';

const WORDS: Readonly<Record<NewCommand['kind'], string>> = {
  occurrence: 'ocorrência',
  mark: 'marcar setor',
  'kick-off': 'horário do início',
  'entry-closed': 'encerrar entrada',
  evacuation: 'EVACUAÇÃO',
  estimate: 'estimativa',
  'take-back': 'desfazer',
  acknowledge: 'ciente',
  suspend: 'suspender alarme',
};

/** The entries of a sector, or of the ground as one; what is decided for the event is of neither. */
const OF_SECTOR: ReadonlySet<LogKind> = new Set(['mark', 'occurrence', 'alarm', 'suspend']);

/** "ocorrência · SUL DORIL": a command that is not recorded, and the sector that it is about. */
export function commandWords(
  command: NewCommand,
  { log, sectors }: Pick<DeskView, 'log' | 'sectors'>,
): string {
  const why = command.kind === 'take-back' ? command.why : undefined;
  const words = why ? takeBackWords('mark', why).verb : WORDS[command.kind];
  const id = entryIdOf(command);
  const about = 'sector' in command ? command : log.find((row) => row.id === id && OF_SECTOR.has(row.kind));
  return about ? `${words} · ${sectorName(sectors, about.sector)}` : words;
}

function entryIdOf(command: NewCommand): string | undefined {
  switch (command.kind) {
    case 'take-back':
      return command.entryId;
    case 'estimate':
      return command.mark;
    case 'acknowledge':
      return command.alarm;
    default:
      return undefined;
  }
}
