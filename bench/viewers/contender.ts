import { randomBytes } from 'node:crypto';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { Scope } from '../benchmark.ts';
import { type ChildProgram, startProgram } from '../support/child-program.ts';
import { clockMs } from '../support/clock.ts';
import type { TimedTotal } from '../support/delays.ts';
import type { Stadium } from '../support/stadium.ts';

export const CONTENDERS = ['board', 'res.write', 'ws', 'bare bytes'] as const;

/** A server that brings frames to many viewers, in a process of its own. */
export interface Contender {
  readonly program: ChildProgram;
  readonly port: number;
  /** What a viewer sends to get the frames. */
  readonly request: string;
  /** Lets one holder in, so that a frame goes to every viewer. */
  readonly enter: () => Promise<TimedTotal>;
}

/** More than any run has viewers. */
const MAX_VIEWERS = '20000';
const EVENTS = ['accept: text/event-stream'];
const HANDSHAKE = [
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  `sec-websocket-key: ${randomBytes(16).toString('base64')}`,
];

export async function startBoard(scope: Scope, stadium: Stadium): Promise<Contender> {
  const program = await stadium.startServer(scope, { MAX_VIEWERS, MAX_VIEWERS_PER_ADDRESS: MAX_VIEWERS });
  const path = `/api/events/${DEFAULT_EVENT_ID}/live`;
  const request = requestOf(path, [...EVENTS, `cookie: ${program.cookie}`]);
  return { program, port: Number(new URL(program.url).port), request, enter: () => stadium.enter() };
}

/** A small server that sends what it is told to: `event`, a text of the board's, with a total that grows. */
export async function startSender(
  scope: Scope,
  way: Exclude<(typeof CONTENDERS)[number], 'board'>,
  event: string,
): Promise<Contender> {
  const program = startProgram(scope, '../viewers/contender-process.js', way);
  let total = Number(/"total":(\d+)/.exec(event)?.[1]);
  const enter = async (): Promise<TimedTotal> => {
    total += 1;
    const atMs = clockMs();
    await program.call('send', event.replace(/"total":\d+/, `"total":${total}`));
    return { total, atMs };
  };
  const port = await program.call<number>('listen');
  await enter();
  return { program, port, request: requestOf('/', way === 'ws' ? HANDSHAKE : EVENTS), enter };
}

function requestOf(path: string, headers: readonly string[]): string {
  return [`GET ${path} HTTP/1.1`, 'host: 127.0.0.1', ...headers, '', ''].join('\r\n');
}
