import type { DeskView, NewCommand } from '../desk-view.ts';
import { CommandButton } from './command-button.tsx';
import { commandWords } from './command-words.ts';
import { useKept, useKeptNames } from './kept-state.ts';
import { dialogNamed, nameOf, type OpenDialog } from './open-dialog.ts';
import { IDLE, type Sending } from './sending.ts';

interface UnansweredProps {
  readonly view: DeskView;
  readonly dialog: OpenDialog | null;
  readonly onOpen: (dialog: OpenDialog) => void;
}

/**
 * Commands whose dialog was closed, or replaced by another, before they were recorded, and those that are recorded no longer:
 * none is lost in silence.
 */
export function Unanswered({ view, dialog, onOpen }: UnansweredProps) {
  const names = useKeptNames(['sending ']).filter((name) => dialog === null || nameOf(dialog) !== name);
  return (
    <div className="unanswered" role="status">
      {names.map((name) => {
        const named = dialogNamed(name);
        return named && <UnansweredCommand key={name} {...{ name, view, onOpen }} dialog={named} />;
      })}
      {(view.missing ?? []).map((each) => (
        <p key={each.command.id} className="notice" data-caution="">
          não registrado, dado às {each.givenAt}: {commandWords(each.command, view)}
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
  readonly view: DeskView;
  readonly dialog: OpenDialog;
  readonly onOpen: UnansweredProps['onOpen'];
}

function UnansweredCommand({ name, view, dialog, onOpen }: UnansweredCommandProps) {
  const [sending] = useKept<Sending>(`sending ${name}`, IDLE);
  if (sending.kind === 'idle') return null;
  const command = sending.what as NewCommand;
  const given = sending.kind === 'unsent' ? `, dado às ${sending.givenAt}` : '';
  const state = sending.kind === 'pending' ? 'enviando' : `não registrado${given}`;
  return (
    <p className="notice" data-caution="">
      {state}: {commandWords(command, view)}
      <button type="button" onClick={() => onOpen(dialog)}>
        ver
      </button>
    </p>
  );
}
