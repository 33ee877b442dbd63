import type { ComponentProps } from 'react';
import { withoutInvisible } from '../../../domain/plain-text.ts';
import { MAX_TEXT_LENGTH } from './max-text-length.ts';

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
}

/** A field for a text of the log. */
export function TextField({ label, onText, ...input }: TextFieldProps) {
  return (
    <label>
      {label}
      <input
        {...input}
        maxLength={MAX_TEXT_LENGTH}
        autoComplete="off"
        onChange={(event) => onText(withoutInvisible(event.currentTarget.value))}
      />
    </label>
  );
}
