import type { LogRow } from '../../model/log/flow-log.ts';
import type { TakenBack } from '../../model/log/taken-back.ts';
import { takeBackWords } from '../actions/take-back-words.ts';
import { type LogContext, logWords } from './log-words.ts';

/** Displays an entry of the log: a mistake is struck through, and what has ended states until when. */
export function LogText(props: {
  readonly row: LogRow;
  readonly context: LogContext;
  readonly end: TakenBack | undefined;
}) {
  const { row, context, end } = props;
  const words = logWords(row, context);
  const isVoid = end?.why === 'mistake';
  return (
    <>
      {row.by !== null && <b>{row.by}: </b>}
      {isVoid ? <s>{words}</s> : words}
      {isVoid && !end.isWithMark && ` (${row.kind === 'mark' ? 'foi engano' : takeBackWords(row.kind).done})`}
      {end?.why === 'ended' && ` (até ${context.timeOf(end.atMs)}${end.by === null ? '' : `, ${end.by}`})`}
    </>
  );
}
