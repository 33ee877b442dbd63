import type { TakeBackReason } from '../../../domain/flow/flow-log.ts';
import { useKept, useKeptNames } from './kept-state.ts';
import type { OpenDialog } from './open-dialog.ts';
import { IDLE, type Sending } from './sending.ts';
import { takeBackWords } from './take-back-words.ts';

const WORDS: Readonly<Record<OpenDialog['kind'], string>> = {
  occurrence: 'ocorrência',
  mark: 'marcar setor',
  'kick-off': 'horário do início',
  'entry-closed': 'encerrar entrada',
  evacuation: 'EVACUAÇÃO',
  estimate: 'estimativa',
  'take-back': 'desfazer',
};

interface UnansweredProps {
  readonly dialog: OpenDialog | null;
  readonly onOpen: (dialog: OpenDialog) => void;
}

/** Commands whose dialog was closed, or replaced by another, before they were recorded: none is lost in silence. */
export function Unanswered({ dialog, onOpen }: UnansweredProps) {
  const names = useKeptNames(['sending ']).filter((name) => dialog === null || nameOf(dialog) !== name);
  return (
    <div className="unanswered" role="status">
      {names.map((name) => {
        const named = dialogNamed(name);
        return named && <UnansweredCommand key={name} name={name} dialog={named} onOpen={onOpen} />;
      })}
    </div>
  );
}

interface UnansweredCommandProps extends UnansweredProps {
  readonly name: string;
  readonly dialog: OpenDialog;
}

function UnansweredCommand({ name, dialog, onOpen }: UnansweredCommandProps) {
  const [{ kind }] = useKept<Sending>(`sending ${name}`, IDLE);
  const state =
    kind === 'pending' ? 'enviando' : kind === 'unknown' ? 'não se sabe se foi registrado' : 'não registrado';
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

/** As its form is named (use-sending.ts). */
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

/** `undefined`: it is sent from the card of an alarm. */
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
