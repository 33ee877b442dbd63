import { hasFields, isNumber, isText } from '../json-shape.ts';

/** What every reader of a log counts on. */
export const isLogRow = hasFields({
  seq: isNumber,
  id: isText,
  atMs: isNumber,
  kind: isText,
  data: hasFields({}),
});
