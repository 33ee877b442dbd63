import { hasFields, isNumber, isText } from '../json-shape.ts';

/** The fields that every reader of a log needs. */
export const isLogRow = hasFields({
  seq: isNumber,
  id: isText,
  atMs: isNumber,
  kind: isText,
  data: hasFields({}),
});
