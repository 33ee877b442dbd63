import type { CommandRefusal } from '../../model/log/desk-command.ts';
import { readRetryAfterMs } from '../../../page/connection/retry-policy.ts';
import type { CommandOutcome, NewCommand, SendCommand } from '../desk-view.ts';
import { refusalWords } from './refusal-words.ts';

/**
 * A command that is not recorded by then returns to its operator, as it may be out of date; no server records it later,
 * wherever it was held up.
 */
const SEND_FOR_MS = 60_000;
/** The server answers within ten seconds, if only that the outcome is unknown. */
const ANSWER_LIMIT_MS = 12_000;
const RETRY_MS = 1_000;

const OTHER_OPERATOR: CommandRefusal = 'other-operator';
const TOO_LATE: CommandRefusal = 'too-late';
const NO_ANSWER = 'sem resposta do servidor';
const RECORD_UNAVAILABLE = 'o registro não está disponível agora';

interface SenderOptions {
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  /** The operator's name on the page. */
  readonly operator: () => string | undefined;
  /** Called when the server refuses the session; resolves once somebody has signed in. */
  readonly sessionEnded: () => Promise<void>;
  /** Called when somebody else has signed in with this browser, so that the name on the page is wrong. */
  readonly otherOperator: () => void;
  /** Called with the number of commands under way. */
  readonly onPending: (count: number) => void;
  /** The `seq` of the newest row that the servers have announced; undefined before the first state. */
  readonly readSeenSeq: () => number | undefined;
  /** The servers' clock in Unix milliseconds; undefined before it is known. */
  readonly readWallMs: () => number | undefined;
  /** The time that the desk's clock displays. */
  readonly readTime: () => string;
  /** Called after an answer of success. `retry` sends the command again. */
  readonly onRecorded: (given: GivenCommand, retry: () => void) => void;
  /** Resolves once the page's log has the entry with this id. */
  readonly inLog: (id: string) => Promise<void>;
}

export interface GivenCommand {
  readonly command: NewCommand & {
    readonly id: string;
    readonly by: string | undefined;
    readonly seenSeq?: number | undefined;
  };
  /** The time of the desk's clock. */
  readonly givenAt: string;
}

/**
 * Sends commands, each with its own id. After a fault a command is sent again for SEND_FOR_MS, and whenever `retry` is called,
 * with the same id, so that it is recorded once. It belongs to the operator who gave it: the server refuses it once somebody
 * else has signed in.
 */
export function createSender(options: SenderOptions): SendCommand {
  const { url, fetch, operator, sessionEnded, otherOperator, onPending, ...page } = options;
  let pending = 0;
  const count = (by: number): void => {
    pending += by;
    onPending(pending);
  };

  async function send({ command, givenAt }: GivenCommand): Promise<CommandOutcome> {
    let isForFormer = false;
    let untilMs = 0;
    let body = '';
    const begin = (): void => {
      const wallMs = page.readWallMs();
      untilMs = performance.now() + SEND_FOR_MS;
      body = JSON.stringify({
        ...command,
        seenSeq: isForFormer ? undefined : command.seenSeq,
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
          // During an upgrade a server of the former version may answer.
          if (problem.field === 'body' && !isForFormer) {
            isForFormer = true;
            begin();
            continue;
          }
          if (problem.reason === TOO_LATE) return unsent(refusalWords(response.status, problem));
          return { kind: 'refused', message: refusalWords(response.status, problem) };
        }
        if (response.status === 503) message = RECORD_UNAVAILABLE;
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
    counted({
      command: { ...command, id: newId(), by: operator(), seenSeq: page.readSeenSeq() },
      givenAt: page.readTime(),
    });
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
