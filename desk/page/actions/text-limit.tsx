import { MAX_TEXT_LENGTH } from './max-text-length.ts';

/** Explains why a field takes no more text. */
export function TextLimit({ text }: { readonly text: string }) {
  return (
    <p className="text-limit" role="status">
      {text.length < MAX_TEXT_LENGTH
        ? ''
        : `${MAX_TEXT_LENGTH} caracteres, o máximo: o que passa disso é cortado`}
    </p>
  );
}
