import { useMemo, useState } from 'react';
import type { LogRow } from '../../../domain/flow/flow-log.ts';
import { formatCount } from '../../design/number-format.ts';
import type { DeskView, SendCommand } from '../desk-view.ts';
import { logContextOf } from './log-context.ts';
import { type LogContext, logWords } from './log-words.ts';
import { newestFirst } from './newest-first.ts';
import { useOpenDialog } from './open-dialog.ts';
import { isTakeable, takenBackIn } from './standing-entries.ts';

/** So many rows are drawn at first, and more at a press: a match has thousands. */
const ROWS_AT_ONCE = 200;

/** What happened and who knew, the newest first. What is taken back stays, struck through. */
export function LogPanel({ view }: { readonly view: DeskView; readonly send: SendCommand }) {
  const { log, sectors, state } = view;
  const [most, setMost] = useState(ROWS_AT_ONCE);
  const context = useMemo(() => logContextOf(log, sectors, state.timeZone), [log, sectors, state.timeZone]);
  const takenBack = useMemo(() => takenBackIn(log), [log]);
  const rows = useMemo(() => newestFirst(log, most), [log, most]);
  const older = log.length - rows.length;
  return (
    <section className="log-panel" aria-labelledby="log-heading">
      <h2 id="log-heading">registro</h2>
      {log.length === 0 ? (
        <p className="hint">nada registrado ainda</p>
      ) : (
        <ol className="log" tabIndex={0} aria-labelledby="log-heading">
          {rows.map((row) => (
            <LogLine
              key={row.id}
              row={row}
              context={context}
              isTakenBack={takenBack.has(row.id)}
              mayTakeBack={view.replay === null && isTakeable(row, takenBack)}
            />
          ))}
          {older > 0 && (
            <li className="log-more">
              <button type="button" onClick={() => setMost(most + ROWS_AT_ONCE)}>
                mostrar mais ({formatCount(older)} anteriores)
              </button>
            </li>
          )}
        </ol>
      )}
    </section>
  );
}

interface LogLineProps {
  readonly row: LogRow;
  readonly context: LogContext;
  readonly isTakenBack: boolean;
  readonly mayTakeBack: boolean;
}

function LogLine({ row, context, isTakenBack, mayTakeBack }: LogLineProps) {
  const [, setDialog] = useOpenDialog();
  const words = logWords(row, context);
  return (
    <li className="log-row" data-kind={row.kind}>
      <time dateTime={new Date(row.atMs).toISOString()}>{context.timeOf(row.atMs)}</time>
      <span>
        {row.source === 'simulated' && 'SIMULADO · '}
        {row.by !== null && <b>{row.by}: </b>}
        {isTakenBack ? <s>{words}</s> : words}
        {isTakenBack && ' (desfeito)'}
      </span>
      {mayTakeBack && (
        <button
          type="button"
          aria-label={`desfazer: ${words}`}
          onClick={() => setDialog({ kind: 'take-back', entryId: row.id })}
        >
          desfazer
        </button>
      )}
    </li>
  );
}
