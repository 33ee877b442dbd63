import { randomBytes } from 'node:crypto';
import { type ChildProgram, startChildProgram } from '../support/child-program.ts';
import { clockMs } from '../support/machine-clock.ts';
import type { MeasuredBoard } from '../support/measured-board.ts';
import type { Admission } from '../support/turnstile.ts';

/** A server that brings frames to many viewers, in a process of its own. */
export interface Contender {
  readonly program: ChildProgram;
  readonly port: number;
  /** What a viewer sends to get the frames. */
  readonly request: string;
  /** Lets one holder in, so that a frame goes to every viewer. */
  enter(): Promise<Admission>;
}

/** More than any run has viewers. */
const MAX_VIEWERS = '20000';

export async function startBoard(board: MeasuredBoard): Promise<Contender> {
  const { program, url, livePath, signIn } = await board.startServer({
    MAX_VIEWERS,
    MAX_VIEWERS_PER_ADDRESS: MAX_VIEWERS,
  });
  try {
    return {
      program,
      port: Number(new URL(url).port),
      request: requestOf(livePath, ['accept: text/event-stream', `cookie: ${await signIn()}`]),
      enter: () => board.turnstile.enter(),
    };
  } catch (error) {
    await program.stop();
    throw error;
  }
}

const EVENT_STREAM = ['accept: text/event-stream'];

export function startPlain(event: string, signal: AbortSignal): Promise<Contender> {
  return startSender('../viewers/plain-process.js', EVENT_STREAM, event, signal);
}

export function startBytes(event: string, signal: AbortSignal): Promise<Contender> {
  return startSender('../viewers/bytes-process.js', EVENT_STREAM, event, signal);
}

export function startWs(event: string, signal: AbortSignal): Promise<Contender> {
  const handshake = [
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    `sec-websocket-key: ${randomBytes(16).toString('base64')}`,
  ];
  return startSender('../viewers/ws-process.js', handshake, event, signal);
}

/** A small server that sends what it is told to: `event`, a text of the board's, with a total that grows. */
async function startSender(
  path: string,
  headers: readonly string[],
  event: string,
  signal: AbortSignal,
): Promise<Contender> {
  const program = startChildProgram(path, { imports: ['./stall-probe.js'], signal });
  let total = Number(/"total":(\d+)/.exec(event)?.[1]);
  const enter = async (): Promise<Admission> => {
    total += 1;
    const atMs = clockMs();
    await program.ask('send', event.replace(/"total":\d+/, `"total":${total}`));
    return { total, atMs };
  };
  try {
    const port = await program.ask<number>('listen');
    await enter();
    return { program, port, request: requestOf('/', headers), enter };
  } catch (error) {
    await program.stop();
    throw error;
  }
}

function requestOf(path: string, headers: readonly string[]): string {
  return [`GET ${path} HTTP/1.1`, 'host: 127.0.0.1', ...headers, '', ''].join('\r\n');
}
