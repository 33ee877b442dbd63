import { randomBytes } from 'node:crypto';
import type { Scope } from '../benchmark.ts';
import { getRequest, liveRequest } from '../contenders/contender.ts';
import { type ChildProgram, startProgram } from '../support/child-program.ts';
import { clockMs } from '../support/clock.ts';
import type { TimedTotal } from '../support/delays.ts';
import type { Stadium, StartLive } from '../support/stadium.ts';

export const CONTENDERS = ['board', 'res.write', 'ws', 'bare bytes'] as const;
export type ContenderName = (typeof CONTENDERS)[number];

/** A server that brings frames to many viewers, in a process of its own. */
export interface Contender {
  readonly program: ChildProgram;
  readonly port: number;
  /** What a viewer sends to get the frames. */
  readonly request: string;
  /** Lets one holder in, so that a frame goes to every viewer. What waits to be sent when it is `over` never is. */
  readonly enter: (over: AbortSignal) => Promise<Admission>;
}

export interface Admission extends TimedTotal {
  readonly isSent: boolean;
}

/** More than any run has viewers. */
const MAX_VIEWERS = '20000';
const HANDSHAKE = [
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  `sec-websocket-key: ${randomBytes(16).toString('base64')}`,
];

export async function startBoard(
  scope: Scope,
  stadium: Stadium,
  env: Readonly<Record<string, string>> = {},
  start?: StartLive,
): Promise<Contender> {
  const limits = { MAX_VIEWERS, MAX_VIEWERS_PER_ADDRESS: MAX_VIEWERS };
  const program = await stadium.startServer(scope, { ...limits, ...env }, start);
  const port = Number(new URL(program.url).port);
  const enter = async (): Promise<Admission> => ({ ...(await stadium.enter()), isSent: true });
  return { program, port, request: liveRequest(program.cookie), enter };
}

/** A small server that sends what it is told to: `event`, a text of the board's, with a total that grows. */
export async function startSender(
  scope: Scope,
  way: Exclude<ContenderName, 'board'>,
  event: string,
): Promise<Contender> {
  const program = startProgram(scope, '../viewers/contender-process.js', way);
  let sent: Promise<unknown> = Promise.resolve();
  let total = Number(/"total":(\d+)/.exec(event)?.[1]);
  const enter = async (over: AbortSignal): Promise<Admission> => {
    total += 1;
    const entered = { total, atMs: clockMs() };
    let isSent = false;
    // Calls go one at a time. What waits for the one before waits as a change does for a server that is busy.
    sent = sent.then(async () => {
      if (over.aborted) return;
      await program.call('send', event.replace(/"total":\d+/, `"total":${entered.total}`));
      isSent = true;
    });
    await sent;
    return { ...entered, isSent };
  };
  const port = await program.call<number>('listen');
  await enter(scope.signal);
  return { program, port, request: getRequest('/', way === 'ws' ? HANDSHAKE : undefined), enter };
}
