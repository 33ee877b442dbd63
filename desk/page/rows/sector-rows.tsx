import { type ReactNode, useMemo } from 'react';
import { type Minute, minuteOf } from '../../model/series/minute.ts';
import { AlarmShape } from '../alarms/alarm-shape.tsx';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import { staleSinceMs } from '../stale-since.ts';
import { barEndWords, barTicks } from './bar-ticks.ts';
import { groundCaveats, type RowWords, rowWords } from './row-words.ts';
import { SPARKLINE, sparklinePath } from './sparkline-path.ts';

/** More rows of two lines do not fit in the height of a screen, and more rows than MAX_IN_COLUMN do not fit in one column. */
const MAX_TWO_LINE_ROWS = 20;
const MAX_IN_COLUMN = 34;

/** A longer name takes more than two lines beside figures that are read from afar. */
const LONG_NAME = 26;

/** More letters do not stand on one line below the figures of a wall. */
const LONG_WORDS = 41;
/** The size of a caveat's letters, and how many letters a sign with its gap is wide. */
const CAVEAT_SIZE = 0.85;
const SIGN = 3;

const HEADS = ['Setor', 'Acessos', 'por min', 'média 5', '30 min', 'Situação'];

/**
 * Lists the sectors in the wall's order. `onOpen` opens the curve of a row's code. The roles are explicit, as some browsers drop
 * those of a table that a style sheet lays out in columns.
 */
export function SectorRows(props: { readonly view: DeskView; readonly onOpen: (code: string) => void }) {
  const { view, onOpen } = props;
  const rows = rowWords(view);
  const ticks = barTicks(view);
  const staleMs = staleSinceMs(view);
  const { timeZone, nowMs } = view.state;
  const stands = new Map(view.sectors.map(({ code, stand }) => [code, stand]));
  const indexes = new Map(view.state.rows.map(({ code }, index) => [code, index]));
  const density =
    rows.length <= MAX_TWO_LINE_ROWS ? undefined : rows.length <= MAX_IN_COLUMN ? 'many' : 'most';
  return (
    <section className="rows" aria-label="Setores" data-density={density}>
      <table role="table">
        <caption className="unseen">Setores, na ordem do painel</caption>
        <thead role="rowgroup">
          <tr role="row">
            {HEADS.map((head) => (
              <th key={head} role="columnheader" scope="col">
                {head === 'Setor' && staleMs !== null ? (
                  <>
                    <span className="unseen">{head}, </span>
                    <span className="caveat">{`sem dados desde ${formatTime(staleMs, timeZone)}`}</span>
                  </>
                ) : (
                  head
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, index) => (
            <SectorRow
              key={row.code}
              row={row}
              tick={ticks?.at.get(row.code)}
              isStandBegin={index > 0 && stands.get(row.code) !== stands.get(rows[index - 1]?.code ?? '')}
              onOpen={onOpen}
            >
              <Sparkline
                minutes={view.minutes}
                rowIndex={indexes.get(row.code) ?? -1}
                endMs={minuteOf(nowMs)}
              />
            </SectorRow>
          ))}
        </tbody>
      </table>
      {groundCaveats(view).map((caveat) => (
        <p key={caveat} className="caveat">
          {caveat}
        </p>
      ))}
      <p className="rows-legend">
        {[barEndWords(view), ticks?.words, 'por min: o último minuto · média 5: dos últimos cinco']
          .filter(Boolean)
          .join(' · ')}
      </p>
    </section>
  );
}

function SectorRow(props: {
  readonly row: RowWords;
  readonly tick: number | undefined;
  readonly isStandBegin: boolean;
  readonly onOpen: (code: string) => void;
  readonly children: ReactNode;
}) {
  const { row, tick, isStandBegin, onOpen, children } = props;
  // A full sector may still have a normal flow.
  const isAlarm = row.states.some((state) => state.isAlarm && !state.rule?.endsWith('capacity'));
  return (
    <tr role="row" data-stand-begins={isStandBegin ? '' : undefined} data-alarm={isAlarm ? '' : undefined}>
      <th role="rowheader" scope="row">
        <button
          type="button"
          className="row-name"
          data-long={row.name.length > LONG_NAME ? '' : undefined}
          title="ver a curva do setor"
          onClick={() => onOpen(row.code)}
        >
          {row.name}
        </button>
        <RowBar share={row.bar} tick={tick} />
      </th>
      <td role="cell" className="row-admitted">
        <span>{row.admitted}</span>
        {row.share !== null && (
          <small>
            {row.share.percent}
            <span className="row-of"> {row.share.of}</span>
          </small>
        )}
        {row.isAtLeast && <small className="row-at-least">no mínimo</small>}
      </td>
      <RateCell rate={row.lastMinute} isAtLeast={row.isRateAtLeast} />
      <RateCell rate={row.lastFive} isAtLeast={row.isRateAtLeast} />
      <td role="cell" className="row-flow">
        {children}
      </td>
      <td role="cell" className="row-states" data-long={wordsLength(row) > LONG_WORDS ? '' : undefined}>
        {row.states.map(({ rule, words, isAlarm: calls }) => (
          <span key={words} className="row-state" data-alarm={calls ? '' : undefined}>
            {rule && <AlarmShape rule={rule} />}
            {words}
          </span>
        ))}
        {row.caveats.map((caveat) => (
          <span key={caveat} className="caveat">
            {caveat}
          </span>
        ))}
      </td>
    </tr>
  );
}

/** The length of what a sector does, in letters. */
function wordsLength({ states, caveats }: RowWords): number {
  const ofStates = states.map(({ words, rule }) => words.length + (rule ? SIGN : 0));
  const ofCaveats = caveats.map((words) => CAVEAT_SIZE * words.length + SIGN);
  return [...ofStates, ...ofCaveats].reduce((sum, length) => sum + length, 0);
}

/** `isAtLeast`: people passed uncounted. A rate may have a unit, as in "3 desfeitas". */
function RateCell({ rate, isAtLeast }: { readonly rate: string; readonly isAtLeast: boolean }) {
  const [count, unit] = rate.split(' ');
  return (
    <td role="cell" className="row-rate">
      {isAtLeast && (
        <span className="row-rate-doubt" title="no mínimo">
          ▲<span className="unseen"> no mínimo </span>
        </span>
      )}
      {count}
      {unit && <small>{unit}</small>}
    </td>
  );
}

function RowBar({ share, tick }: { readonly share: number | null; readonly tick: number | undefined }) {
  if (share === null) return null;
  return (
    <svg className="row-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect className="row-bar-room" width="100" height="10" />
      <rect className="row-bar-in" width={100 * share} height="10" />
      {tick !== undefined && (
        <line className="row-bar-tick" x1={100 * tick} x2={100 * tick} y1="-4" y2="14" />
      )}
    </svg>
  );
}

/** The admissions in each of the last thirty minutes, hidden from screen readers, as the table has the figures. */
function Sparkline(props: {
  readonly minutes: readonly Minute[];
  readonly rowIndex: number;
  /** The beginning of the running minute. */
  readonly endMs: number;
}) {
  const { minutes, rowIndex, endMs } = props;
  const path = useMemo(() => sparklinePath(minutes, rowIndex, endMs), [minutes, rowIndex, endMs]);
  const { width, height } = SPARKLINE;
  return (
    <svg
      className="row-sparkline"
      viewBox={`0 -1 ${width} ${height + 2}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}
