import type { DeskCommand } from '../../desk/model/log/desk-command.ts';
import { MINUTE_MS } from '../../desk/model/series/minute.ts';
import { CommandRefused } from '../../desk/flow/desk.ts';
import type { StandInDesk } from '../desk/stand-in-desk.ts';

/** What becomes of a command: it is executed, refused, or never answered. */
export type CommandAnswer = 'recorded' | 'refused' | 'unknown';

const WRONG_KEY = 'errada';
const NO_BODY = undefined;

export interface StandInServerOptions {
  readonly desk: StandInDesk;
  /** The operator who is signed in, if any. */
  readonly operator: string | undefined;
  readonly answer: CommandAnswer;
  /** Called after a command has changed the log. */
  readonly onCommand: () => void;
}

/** A stand-in for the desk's server: it answers `fetch` from memory, and keeps the commands that it receives. */
export function createStandInServer(options: StandInServerOptions): {
  readonly fetch: typeof globalThis.fetch;
  readonly commands: readonly DeskCommand[];
} {
  const { desk, answer, onCommand } = options;
  let { operator } = options;
  const commands: DeskCommand[] = [];

  function execute(command: DeskCommand): Response {
    commands.push(command);
    if (answer === 'refused') return json(409, { reason: 'in-force' });
    if (answer === 'unknown') throw new TypeError('the stand-in does not answer');
    try {
      const row = desk.command(command, operator ?? '');
      onCommand();
      return json(200, row);
    } catch (error) {
      if (error instanceof CommandRefused) return json(409, { reason: error.reason });
      throw error;
    }
  }

  function call(path: string, query: URLSearchParams, body: Readonly<Record<string, unknown>>): Response {
    switch (path) {
      case 'session':
        return operator === undefined ? json(401, NO_BODY) : json(200, { name: operator });
      case 'sign-in':
        if (body['key'] === WRONG_KEY) return json(401, NO_BODY);
        operator = String(body['name']);
        return json(200, NO_BODY);
      case 'operator':
        operator = String(body['name']);
        return json(200, NO_BODY);
      case 'invitations':
        return json(200, { invitation: 'a'.repeat(32), endsAtMs: desk.nowMs + 2 * MINUTE_MS });
      case 'sign-out':
        operator = undefined;
        return json(200, NO_BODY);
      case 'commands':
        return execute(body as unknown as DeskCommand);
      case 'usual':
        return json(200, { usual: desk.usualCurve(query.get('sector')) });
      case 'state': {
        const state = desk.stateAt(Number(query.get('at')));
        return state ? json(200, state) : json(404, NO_BODY);
      }
      default:
        return json(404, NO_BODY);
    }
  }

  return {
    commands,
    async fetch(input, init) {
      const url = new URL(input instanceof Request ? input.url : input, window.location.href);
      const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : {};
      return call(url.pathname.split('/').at(-1) ?? '', url.searchParams, body);
    },
  };
}

function json(status: number, body: unknown): Response {
  return new Response(body === undefined ? null : JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json' },
  });
}
