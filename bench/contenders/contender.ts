import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { signIn } from '../../testing/browser/page-client.ts';
import type { ProcessUsage } from '../../testing/server/process-usage.ts';
import type { Scope } from '../benchmark.ts';
import { startProgram } from '../support/child-program.ts';
import type { BenchDatabase } from '../support/database.ts';
import { startLiveServer } from '../support/server.ts';
import { addTrigger } from './triggers.ts';

/** The board, the least there could be (floor), and what else an engineer would build. */
export const CONTENDERS = ['board', 'floor', 'counter', 'notify', 'poll 1 s', 'poll 100 ms'] as const;
export type ContenderName = (typeof CONTENDERS)[number];

/** A server in a process of its own that tells its clients of the database's admissions. */
export interface Contender {
  readonly usage: ProcessUsage;
  readonly port: number;
  /** What a client sends to get the stream of `counts` events. */
  readonly request: string;
}

export async function startContender(
  scope: Scope,
  database: BenchDatabase,
  name: ContenderName,
): Promise<Contender> {
  if (name === 'board') {
    const { url, usage } = await startLiveServer(scope, database.observerUrl);
    return { usage, port: Number(new URL(url).port), request: liveRequest(await signIn(url)) };
  }
  if (name === 'counter' || name === 'notify') await addTrigger(scope, database, name);
  const [file] = name.split(' ');
  const everyMs = name === 'poll 1 s' ? 1_000 : 100;
  const { usage, call } = startProgram(scope, `../contenders/${file}-process.js`, String(everyMs));
  return { usage, port: await call<number>('listen', database.adminUrl), request: getRequest('/') };
}

/** Of the board's stream; `cookie`: a session. */
export function liveRequest(cookie: string): string {
  return getRequest(`/api/events/${DEFAULT_EVENT_ID}/live`, [`cookie: ${cookie}`]);
}

export function getRequest(path: string, headers = ['accept: text/event-stream']): string {
  return [`GET ${path} HTTP/1.1`, 'host: 127.0.0.1', ...headers, '', ''].join('\r\n');
}
