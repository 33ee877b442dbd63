import { ActionDialog } from './action-dialog.tsx';
import type { DialogProps } from './dialog-props.ts';
import { useKept } from './kept-state.ts';
import { SectorSelect } from './sector-select.tsx';
import { TextField } from './text-field.tsx';
import { TextLimit } from './text-limit.tsx';
import { useSending } from './use-sending.ts';

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
      <TextField
        label="o que houve"
        value={text}
        required
        data-first=""
        readOnly={form.isLocked}
        onText={setText}
      />
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
