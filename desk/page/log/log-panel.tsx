import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import type { LogRow, TakeBackReason } from '../../model/log/flow-log.ts';
import { MINUTE_MS, minuteOf } from '../../model/series/minute.ts';
import { readTakenBack, type TakenBack } from '../../model/log/taken-back.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import type { DeskView } from '../desk-view.ts';
import { CommandButton } from '../actions/command-button.tsx';
import { logContextOf } from './log-context.ts';
import { LogText } from './log-text.tsx';
import { type LogContext, logWords } from './log-words.ts';
import { newestFirst } from './newest-first.ts';
import { useOpenDialog } from '../actions/open-dialog.ts';
import { waysToTakeBack } from '../actions/active-entry.ts';
import { takeBackWords } from '../actions/take-back-words.ts';
import { useKeptFocus } from '../alarms/use-kept-focus.ts';

/** This many rows are drawn at first, and more with each press, as a match has thousands. */
const ROWS_AT_ONCE = 200;

/** Lists the log, the newest entry first; a mistaken entry stays, struck through. */
export function LogPanel(props: {
  readonly view: DeskView;
  /** Opens the recorded minute that begins at `minuteMs`. */
  readonly onReplay: ((minuteMs: number) => void) | undefined;
}) {
  const { view, onReplay } = props;
  const { log, sectors, state } = view;
  const heading = useRef<HTMLHeadingElement>(null);
  const keptFocus = useKeptFocus(heading);
  const [most, setMost] = useState(ROWS_AT_ONCE);
  const context = useMemo(() => logContextOf(log, sectors, state.timeZone), [log, sectors, state.timeZone]);
  const takenBack = useMemo(() => readTakenBack(log), [log]);
  // If all entries are simulated, the strip states it once.
  const isMixed = useMemo(() => log.some(({ source }) => source === 'live'), [log]);
  const rows = useMemo(() => newestFirst(log, most), [log, most]);
  const older = log.length - rows.length;
  const behind = view.replay === null ? state.lastSeq - log.length : 0;
  const firstRecorded = rows.find(({ atMs }) => isRecorded(view, atMs));
  return (
    <>
      <a className="log-elsewhere" href="/fluxo/registro" target="_blank" rel="noopener">
        registro: sem lugar abaixo dos alarmes · abrir
      </a>
      <section className="log-panel" aria-labelledby="log-heading" {...keptFocus}>
        <h2 id="log-heading" ref={heading} tabIndex={-1}>
          registro
          {behind > 0 && <small className="log-late">▲ atrasado: faltam linhas</small>}
        </h2>
        {log.length === 0 ? (
          <p className="hint">{state.record.isUnread ? 'sem o registro' : 'nada registrado ainda'}</p>
        ) : (
          <ol className="log" tabIndex={0} aria-labelledby="log-heading" onKeyDown={goAlong}>
            {rows.map((row) => (
              <LogLine
                key={row.id}
                row={row}
                isMarked={isMixed && row.source === 'simulated'}
                context={context}
                end={takenBack.get(row.id)}
                onReplay={isRecorded(view, row.atMs) ? onReplay : undefined}
                isFirst={row === firstRecorded}
                waysBack={view.replay === null ? waysToTakeBack(row, takenBack, state.nowMs) : []}
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
    </>
  );
}

interface LogLineProps {
  readonly row: LogRow;
  /** The row is simulated, among rows that are not. */
  readonly isMarked: boolean;
  readonly context: LogContext;
  readonly end: TakenBack | undefined;
  readonly waysBack: readonly (TakeBackReason | undefined)[];
  readonly onReplay: ((minuteMs: number) => void) | undefined;
  /** Tab reaches only this time; the arrow keys go on from there. */
  readonly isFirst: boolean;
}

function LogLine({ row, isMarked, context, end, waysBack, onReplay, isFirst }: LogLineProps) {
  const [, setDialog] = useOpenDialog();
  const words = logWords(row, context);
  const time = <time dateTime={new Date(row.atMs).toISOString()}>{context.timeOf(row.atMs)}</time>;
  return (
    <li className="log-row" data-kind={row.kind}>
      {onReplay ? (
        <button
          type="button"
          className="log-time"
          tabIndex={isFirst ? 0 : -1}
          aria-label={`voltar a ${context.timeOf(row.atMs)}`}
          title={`voltar a ${context.timeOf(row.atMs)}`}
          onClick={() => onReplay(minuteOf(row.atMs))}
        >
          {time}
        </button>
      ) : (
        time
      )}
      <span>
        {isMarked && 'SIMULADO · '}
        <LogText row={row} context={context} end={end} />
      </span>
      {waysBack.length > 0 && (
        <span className="log-acts">
          {waysBack.map((why) => {
            const { verb } = takeBackWords(row.kind, why);
            return (
              <CommandButton
                key={verb}
                aria-label={`${verb}: ${words}`}
                onClick={() => setDialog({ kind: 'take-back', entryId: row.id, why })}
              >
                {verb}
              </CommandButton>
            );
          })}
        </span>
      )}
    </li>
  );
}

/** The arrow keys go from one time to the next. */
function goAlong(event: KeyboardEvent<HTMLElement>): void {
  const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const times = [...event.currentTarget.querySelectorAll<HTMLElement>('.log-time')];
  const place = times.indexOf(event.target as HTMLElement);
  const next = way === undefined || place === -1 ? undefined : times[place + way];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** Whether the minute of `atMs` can be replayed. */
function isRecorded({ minutes }: DeskView, atMs: number): boolean {
  const [first, last] = [minutes[0], minutes.at(-1)];
  return (
    first !== undefined && last !== undefined && atMs >= first.minuteMs && atMs < last.minuteMs + MINUTE_MS
  );
}
