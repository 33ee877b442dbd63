import type { KeyboardEvent } from 'react';
import { withoutInvisible } from '../../../domain/plain-text.ts';
import { ActionDialog } from './action-dialog.tsx';
import type { DialogProps } from './dialog-props.ts';
import { MAX_TEXT_LENGTH } from './max-text-length.ts';
import { useKept } from './kept-state.ts';
import { SectorSelect } from './sector-select.tsx';
import { TextLimit } from './text-limit.tsx';
import { useSending } from './use-sending.ts';

/** It has several lines to be seen, and none of its own: Enter presses the button, as in every other field. */
function sendOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.querySelector<HTMLElement>('[type=submit]')?.click();
}

export function OccurrenceDialog({ view, send, onClose, onRecorded }: DialogProps) {
  const [text, setText] = useKept('occurrence', '');
  const [sector, setSector] = useKept<string | null>('occurrence of', null);
  const form = useSending('occurrence', send, () => {
    setText('');
    setSector(null);
    onRecorded('ocorrência registrada');
  });
  return (
    <ActionDialog
      title="ocorrência"
      form={form}
      action="registrar"
      isReady={text.trim() !== ''}
      onSubmit={() => form.submit({ kind: 'occurrence', sector, text: text.trim() })}
      onClose={onClose}
    >
      <label>
        o que houve
        <textarea
          value={text}
          rows={3}
          required
          data-first=""
          maxLength={MAX_TEXT_LENGTH}
          readOnly={form.isLocked}
          autoComplete="off"
          onKeyDown={sendOnEnter}
          onChange={(event) => setText(withoutInvisible(event.currentTarget.value))}
        />
      </label>
      <TextLimit text={text} />
      <SectorSelect
        label="setor"
        sectors={view.sectors}
        value={sector}
        disabled={form.isLocked}
        onChange={setSector}
      />
    </ActionDialog>
  );
}
