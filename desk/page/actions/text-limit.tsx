import { MAX_TEXT_LENGTH } from './max-text-length.ts';

/** Beside a text that is typed, once it is as long as it may be: the field takes no more, and says nothing itself. */
export function TextLimit({ text }: { readonly text: string }) {
  return (
    <p className="text-limit" role="status">
      {text.length < MAX_TEXT_LENGTH
        ? ''
        : `${MAX_TEXT_LENGTH} caracteres, o máximo: o que passa disso é cortado`}
    </p>
  );
}
