import type { Environment } from './command.ts';
import { errorCode, errorMessage } from './errors.ts';
import type { ShownEvent } from './running-board.ts';

const ANSWER_LIMIT_MS = 5_000;

export interface AskedBoard {
  readonly url: string;
  /** Whether the board itself has named the URL. Otherwise HOST and PORT here do, and another program may answer. */
  readonly isItsOwn: boolean;
  /** Why the board of the event does not answer there; undefined where it does. */
  readonly silentBecause: string | undefined;
  /** The ID of the venue that it displays; undefined for the built-in sectors. */
  readonly venueId: string | undefined;
}

/** Asks the event's board what it displays. */
export async function askBoard(env: Environment, board: ShownEvent): Promise<AskedBoard> {
  const place = { url: board.url ?? urlOfSettings(env), isItsOwn: board.url !== undefined };
  const answer = await askJson(`${place.url}/config.json`);
  if (typeof answer === 'string') return { ...place, silentBecause: answer, venueId: undefined };
  const { eventId, venueId } = answer;
  const silentBecause = eventId === board.eventId ? undefined : 'another program answers';
  return { ...place, silentBecause, venueId: typeof venueId === 'string' ? venueId : undefined };
}

/** Returns the URL of a board that is started with these settings. */
function urlOfSettings(env: Environment): string {
  const given = env['HOST']?.trim() || '127.0.0.1';
  const host = given === '0.0.0.0' || given === '::' ? 'localhost' : given;
  return `http://${host.includes(':') ? `[${host}]` : host}:${env['PORT']?.trim() || '3000'}`;
}

/** Returns the JSON object of an answer, empty where it has none. A string is the reason why there is no answer. */
export async function askJson(url: string): Promise<Partial<Record<string, unknown>> | string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    const body = (await response.json().catch(() => null)) as Partial<Record<string, unknown>> | null;
    return body ?? {};
  } catch (error) {
    if ((error as Error).name === 'TimeoutError')
      return `no answer comes within ${ANSWER_LIMIT_MS / 1_000} s`;
    const { cause } = error as Error;
    return errorCode(cause) === 'ECONNREFUSED' ? 'nobody listens there' : errorMessage(cause ?? error);
  }
}
