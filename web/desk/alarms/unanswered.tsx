import type { LackingCommand, NewCommand } from '../desk-view.ts';
import { CommandButton } from './command-button.tsx';
import { useKept, useKeptNames } from './kept-state.ts';
import type { OpenDialog } from './open-dialog.ts';
import { IDLE, type Sending } from './sending.ts';

const WORDS: Readonly<Record<NewCommand['kind'], string>> = {
  occurrence: 'ocorrência',
  mark: 'marcar setor',
  'kick-off': 'horário do início',
  'entry-closed': 'encerrar entrada',
  evacuation: 'EVACUAÇÃO',
  'take-back': 'desfazer',
  acknowledge: 'ciente',
  suspend: 'suspender alarme',
};

interface UnansweredProps {
  readonly lacking: readonly LackingCommand[];
  readonly dialog: OpenDialog | null;
  readonly onOpen: (dialog: OpenDialog) => void;
}

/**
 * Commands whose dialog was closed, or replaced by another, before they were recorded, and those that are recorded no longer:
 * none is lost in silence.
 */
export function Unanswered({ lacking, dialog, onOpen }: UnansweredProps) {
  const names = useKeptNames(['sending ']).filter((name) => dialog === null || nameOf(dialog) !== name);
  return (
    <div className="unanswered" role="status">
      {names.map((name) => {
        const named = dialogNamed(name);
        return named && <UnansweredCommand key={name} name={name} dialog={named} onOpen={onOpen} />;
      })}
      {lacking.map((each) => (
        <p key={each.command.id} className="notice" data-caution="">
          não registrado, dado às {each.givenAt}: {WORDS[each.command.kind]}
          {each.command.kind === 'occurrence' && ` “${each.command.text}”`}
          <CommandButton onClick={each.retry}>repetir</CommandButton>
          <button type="button" onClick={each.drop}>
            descartar
          </button>
        </p>
      ))}
    </div>
  );
}

interface UnansweredCommandProps {
  readonly name: string;
  readonly dialog: OpenDialog;
  readonly onOpen: UnansweredProps['onOpen'];
}

function UnansweredCommand({ name, dialog, onOpen }: UnansweredCommandProps) {
  const [sending] = useKept<Sending>(`sending ${name}`, IDLE);
  const given = sending.kind === 'unsent' ? `, dado às ${sending.givenAt}` : '';
  const state = sending.kind === 'pending' ? 'enviando' : `não registrado${given}`;
  return (
    <p className="notice" data-caution="">
      {state}: {WORDS[dialog.kind]}
      <button type="button" onClick={() => onOpen(dialog)}>
        ver
      </button>
    </p>
  );
}

/** As its form is named (use-sending.ts). */
function nameOf(dialog: OpenDialog): string {
  return dialog.kind === 'take-back' ? `take-back ${dialog.entryId}` : dialog.kind;
}

/** `undefined`: it is sent from the card of an alarm. */
function dialogNamed(name: string): OpenDialog | undefined {
  const [kind, entryId] = name.split(' ');
  if (kind === 'take-back' && entryId !== undefined) return { kind, entryId };
  switch (name) {
    case 'mark':
      return { kind: name, sector: undefined };
    case 'occurrence':
    case 'kick-off':
    case 'entry-closed':
    case 'evacuation':
      return { kind: name };
    default:
      return undefined;
  }
}
