import { type ReactNode, useEffect, useRef } from 'react';
import { formatCount } from '../../../page/design/number-format.ts';
import { logContextOf } from '../log/log-context.ts';
import { LogText } from '../log/log-text.tsx';
import { onEscape } from '../actions/on-escape.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import { groundCaveats, type RowWords, rowWords } from './row-words.ts';
import { formatRate } from '../figure-format.ts';
import type { LogRow } from '../../model/log/flow-log.ts';
import { readTakenBack } from '../../model/log/taken-back.ts';

/** In a single column the opened panel would be out of sight. */
const ONE_COLUMN = '(max-width: 899.98px)';

/** Displays a sector's figures with their caveats, its last entries, and its curve (`children`). Opening it moves the focus to it. */
export function SectorPanel(props: {
  readonly view: DeskView;
  readonly code: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { view, code, onClose, children } = props;
  const panel = useRef<HTMLElement>(null);
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    close.current?.focus({ preventScroll: true });
    panel.current?.scrollIntoView({ block: matchMedia(ONE_COLUMN).matches ? 'start' : 'nearest' });
  }, []);
  const words = rowWords(view).find((row) => row.code === code);
  return (
    <section
      className="sector-panel"
      aria-labelledby="sector-panel-name"
      ref={panel}
      onKeyDown={onEscape(onClose)}
    >
      <div className="sector-panel-head">
        <h2 id="sector-panel-name">{words?.name}</h2>
        <button type="button" className="desk-whole" ref={close} onClick={onClose}>
          ver o estádio todo
        </button>
      </div>
      {words && <Figures view={view} words={words} />}
      <LastEntries view={view} code={code} />
      {children}
    </section>
  );
}

function Figures({ view, words }: { readonly view: DeskView; readonly words: RowWords }) {
  const { rows, timeZone } = view.state;
  const row = rows.find(({ code }) => code === words.code);
  const { bestFive = null, lastEntryAtMs = null, capacity = null, valid = 0 } = row ?? {};
  const figures = [
    ['acessos', `${words.isAtLeast ? 'no mínimo ' : ''}${words.admitted}`],
    ['válidos', formatCount(valid)],
    ...(capacity === null ? [] : [['lotação permitida', formatCount(capacity)]]),
    ['último minuto', words.lastMinute],
    ['média 5', words.lastFive],
    ['melhor hoje', bestFive === null ? '–' : formatRate(bestFive)],
    ['último acesso', lastEntryAtMs === null ? '–' : formatTime(lastEntryAtMs, timeZone)],
  ] as const;
  return (
    <>
      <dl className="sector-figures">
        {figures.map(([name, figure]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{figure}</dd>
          </div>
        ))}
      </dl>
      {[...words.caveats, ...groundCaveats(view)].map((caveat) => (
        <p key={caveat} className="caveat">
          {caveat}
        </p>
      ))}
    </>
  );
}

function LastEntries({ view, code }: { readonly view: DeskView; readonly code: string }) {
  const { log, sectors, state } = view;
  const rows = sectorLog(log, code);
  const context = logContextOf(log, sectors, state.timeZone);
  const ends = readTakenBack(log);
  if (rows.length === 0) return null;
  return (
    <ol className="sector-log" aria-label="registro do setor">
      {rows.map((row) => (
        <li key={row.id}>
          <time dateTime={new Date(row.atMs).toISOString()}>{context.timeOf(row.atMs)}</time>{' '}
          <LogText row={row} context={context} end={ends.get(row.id)} />
        </li>
      ))}
    </ol>
  );
}

/** More rows would leave no room for the curve; the whole log stands beside it. */
const MAX_ROWS = 3;

/** The last entries about a sector, the newest first, with alarms of several sectors that name it. */
function sectorLog(log: readonly LogRow[], code: string): readonly LogRow[] {
  const rows: LogRow[] = [];
  for (let index = log.length - 1; index >= 0 && rows.length < MAX_ROWS; index -= 1) {
    const row = log[index];
    if (row && isAbout(row, code)) rows.push(row);
  }
  return rows;
}

function isAbout(row: LogRow, code: string): boolean {
  if (row.sector === code) return true;
  return row.kind === 'alarm-joined' && row.data.sectors.some(({ sector }) => sector === code);
}
