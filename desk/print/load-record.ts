import { fromHistory } from '../model/series/history.ts';
import type { DeskState } from '../model/desk-state.ts';
import type { UsualCurve } from '../model/forecast/usual-curve.ts';
import type { LogRow } from '../model/log/flow-log.ts';
import { KEPT_MS, type Minute } from '../model/series/minute.ts';
import type { RecordProof } from '../model/log/record-proof.ts';
import { nameRows, readDisplayedEvent } from '../page/data/displayed-event.ts';
import { readRetryAfterMs } from '../../page/connection/retry-policy.ts';
import type { RecordView } from './record-view.ts';

export type RecordFault =
  | 'no-session'
  /** The server has changed its event since the page was opened. */
  | 'another-event'
  /** The log has more rows than the server exports. */
  | 'too-long'
  | 'no-answer';

/** The longest span of one read. */
const HISTORY_MS = 6 * 60 * 60 * 1_000;

/** Its message is the fault. */
class Refused extends (Error as new (fault: RecordFault) => Error & { readonly message: RecordFault }) {}

/** Loads the record up to the minute and the row at which its files are hashed. Never rejects. */
export async function loadRecord(
  document: Document,
  fetch: typeof globalThis.fetch,
): Promise<RecordView | { readonly fault: RecordFault }> {
  const { event = '', title = '' } = document.documentElement.dataset;
  const get = (path: string) => readJson(fetch, `/fluxo/api/${path}`);
  const url = `events/${event}`;
  try {
    const session = (await get('session')) as { readonly name: string };
    const displayed = await readDisplayedEvent(fetch);
    if (displayed.eventId !== event) throw new Refused('another-event');
    const proof = (await get(`${url}/record`)) as RecordProof;
    const { state } = proof;
    const minutes: Minute[] = [];
    const { to } = proof.minutes;
    for (let fromMs = Math.max(0, to - KEPT_MS); fromMs < to; fromMs += HISTORY_MS) {
      const toMs = Math.min(fromMs + HISTORY_MS, to);
      minutes.push(...fromHistory(await get(`${url}/history?from=${fromMs}&to=${toMs}`)));
    }
    const log: LogRow[] = [];
    for (let hasMore = proof.log.to > 0; hasMore;) {
      const page = (await get(`${url}/log?after=${log.at(-1)?.seq ?? 0}`)) as LogPage;
      log.push(...page.rows.filter(({ seq }) => seq <= proof.log.to));
      hasMore = page.hasMore && (log.at(-1)?.seq ?? 0) < proof.log.to;
    }
    // The usual curve is read before anything is drawn, so that each print is the same.
    const { usual } = (await get(`${url}/usual`)) as { readonly usual: UsualCurve | null };
    const codes = state.rows.slice(0, -1).map(({ code }) => code);
    return {
      desk: {
        state: atLastMinute(state, minutes),
        minutes,
        log,
        sectors: nameRows(codes, displayed.sectors),
        status: { kind: 'live' },
        replay: { atMs: state.nowMs },
      },
      proof,
      usual,
      title,
      producedBy: session.name,
    };
  } catch (error) {
    return { fault: error instanceof Refused ? error.message : 'no-answer' };
  }
}

/** The total is that of the last recorded minute; later admissions are in no minute yet. */
function atLastMinute(state: DeskState, minutes: readonly Minute[]): DeskState {
  const sectors = minutes.at(-1)?.sectors;
  if (!sectors) return state;
  const sum = (key: 'admitted' | 'valid'): number => sectors.reduce((all, row) => all + row[key], 0);
  return { ...state, total: { ...state.total, admitted: sum('admitted'), valid: sum('valid') } };
}

interface LogPage {
  readonly rows: readonly LogRow[];
  readonly hasMore: boolean;
}

/** Retries after 429, as a long log takes more reads than the server allows a minute. */
async function readJson(fetch: typeof globalThis.fetch, url: string): Promise<unknown> {
  for (;;) {
    const response = await fetch(url, { cache: 'no-store' });
    if (response.ok) return response.json();
    if (response.status === 401) throw new Refused('no-session');
    if (response.status === 422) throw new Refused('too-long');
    const retryAfterMs = readRetryAfterMs(response);
    if (response.status !== 429 || retryAfterMs === undefined) throw new Refused('no-answer');
    await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
  }
}
