import type { CommandRefusal } from '../../model/log/desk-command.ts';
import { readRetryAfterMs } from '../../../page/connection/retry-policy.ts';
import type { CommandOutcome, NewCommand, SendCommand } from '../desk-view.ts';
import { refusalWords } from './refusal-words.ts';

/**
 * What is not recorded by then is given back to whoever sent it: what was true may be so no longer. No server records it
 * later, wherever it was held up.
 */
const SEND_FOR_MS = 60_000;
/** An answer comes within ten seconds, or says that it is not known. */
const ANSWER_LIMIT_MS = 12_000;
const RETRY_MS = 1_000;

const OTHER_OPERATOR: CommandRefusal = 'other-operator';
const TOO_LATE: CommandRefusal = 'too-late';
const NO_ANSWER = 'sem resposta do servidor';
const RECORD_AWAY = 'o registro não está disponível agora';

interface SenderOptions {
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  /** The name that the page shows as that of its operator. */
  readonly operator: () => string | undefined;
  /** The server refuses the session: resolves once somebody has signed in. */
  readonly sessionEnded: () => Promise<void>;
  /** In this browser somebody else has signed in: what the page shows as the name is no longer true. */
  readonly otherOperator: () => void;
  /** How many are under way. */
  readonly onPending: (count: number) => void;
  /** The clock of the servers: milliseconds since 1970; undefined before it is known. */
  readonly readWallMs: () => number | undefined;
  /** What the clock on the desk shows. */
  readonly readTime: () => string;
  /** It was answered with success. `retry` sends it again. */
  readonly onRecorded: (given: GivenCommand, retry: () => void) => void;
  /** Resolves once the log of the page has the entry with this id. */
  readonly inLog: (id: string) => Promise<void>;
}

export interface GivenCommand {
  readonly command: NewCommand & { readonly id: string; readonly by: string | undefined };
  /** As the desk's clock showed it. */
  readonly givenAt: string;
}

/**
 * Sends commands, each with an id of its own. After a fault it is sent again with the same id, so that it is written once,
 * for SEND_FOR_MS; and again whenever `retry` is called. It stays that of the operator who gave it: once somebody else has
 * signed in, the server refuses it.
 */
export function createSender(options: SenderOptions): SendCommand {
  const { url, fetch, operator, sessionEnded, otherOperator, onPending, ...page } = options;
  let pending = 0;
  const count = (by: number): void => {
    pending += by;
    onPending(pending);
  };

  async function send({ command, givenAt }: GivenCommand): Promise<CommandOutcome> {
    let isDated = true;
    let untilMs = 0;
    let body = '';
    const begin = (): void => {
      const wallMs = isDated ? page.readWallMs() : undefined;
      untilMs = performance.now() + SEND_FOR_MS;
      body = JSON.stringify({
        ...command,
        ...(wallMs !== undefined && { untilMs: Math.round(wallMs + SEND_FOR_MS) }),
      });
    };
    const unsent = (message: string): CommandOutcome => ({
      kind: 'unsent',
      message,
      givenAt,
      retry: () => counted({ command, givenAt }),
      found: page.inLog(command.id),
    });
    let message = NO_ANSWER;
    begin();
    for (;;) {
      let waitMs = RETRY_MS;
      try {
        const response = await fetch(url, {
          method: 'POST',
          cache: 'no-store',
          headers: { 'content-type': 'application/json' },
          body,
          signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
        });
        if (response.ok) {
          page.onRecorded({ command, givenAt }, () => void counted({ command, givenAt }));
          return { kind: 'recorded' };
        }
        if (response.status === 401) {
          await sessionEnded();
          begin();
          continue;
        }
        if (response.status < 500) {
          const problem = await readProblem(response);
          if (problem.reason === OTHER_OPERATOR) otherOperator();
          // A server of the version before, in an upgrade.
          if (problem.field === 'untilMs' && isDated) {
            isDated = false;
            begin();
            continue;
          }
          if (problem.reason === TOO_LATE) return unsent(refusalWords(response.status, problem));
          return { kind: 'refused', message: refusalWords(response.status, problem) };
        }
        if (response.status === 503) message = RECORD_AWAY;
        waitMs = readRetryAfterMs(response) ?? RETRY_MS;
      } catch {
        message = NO_ANSWER;
      }
      if (performance.now() + waitMs > untilMs) return unsent(message);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  async function counted(given: GivenCommand): Promise<CommandOutcome> {
    count(1);
    try {
      return await send(given);
    } finally {
      count(-1);
    }
  }

  return (command) =>
    counted({ command: { ...command, id: newId(), by: operator() }, givenAt: page.readTime() });
}

async function readProblem(response: Response): Promise<{ reason?: unknown; field?: unknown }> {
  try {
    return (await response.json()) as { reason?: unknown; field?: unknown };
  } catch {
    return {};
  }
}

/** A UUID of version 4. `crypto.randomUUID` exists on a secure origin only, and a LAN address is none. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
