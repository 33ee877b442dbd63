import type { TakeBackReason } from '../../model/log/flow-log.ts';
import type { MissingCommand, NewCommand } from '../desk-view.ts';
import { CommandButton } from './command-button.tsx';
import { useKept, useKeptNames } from './kept-state.ts';
import type { OpenDialog } from './open-dialog.ts';
import { IDLE, type Sending } from './sending.ts';
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

interface UnansweredProps {
  readonly missing: readonly MissingCommand[];
  readonly dialog: OpenDialog | null;
  readonly onOpen: (dialog: OpenDialog) => void;
}

/** Lists commands whose dialog was closed before they were recorded, and recorded commands that the log has lost. */
export function Unanswered({ missing, dialog, onOpen }: UnansweredProps) {
  const names = useKeptNames(['sending ']).filter((name) => dialog === null || nameOf(dialog) !== name);
  return (
    <div className="unanswered" role="status">
      {names.map((name) => {
        const named = dialogNamed(name);
        return named && <UnansweredCommand key={name} name={name} dialog={named} onOpen={onOpen} />;
      })}
      {missing.map((each) => (
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
      {state}: {wordsOf(dialog)}
      <button type="button" onClick={() => onOpen(dialog)}>
        ver
      </button>
    </p>
  );
}

function wordsOf(dialog: OpenDialog): string {
  const why = dialog.kind === 'take-back' ? dialog.why : undefined;
  return why ? takeBackWords('mark', why).verb : WORDS[dialog.kind];
}

/** The dialog's key in use-sending.ts. */
export function nameOf(dialog: OpenDialog): string {
  switch (dialog.kind) {
    case 'take-back':
      return `take-back ${dialog.entryId}${dialog.why ? ` ${dialog.why}` : ''}`;
    case 'estimate':
      return `estimate ${dialog.markId}`;
    default:
      return dialog.kind;
  }
}

/** Returns `undefined` for a command of an alarm's card. */
function dialogNamed(name: string): OpenDialog | undefined {
  const [kind, entryId, why] = name.split(' ');
  if (kind === 'take-back' && entryId !== undefined)
    return { kind, entryId, why: why as TakeBackReason | undefined };
  if (kind === 'estimate' && entryId !== undefined) return { kind, markId: entryId };
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
