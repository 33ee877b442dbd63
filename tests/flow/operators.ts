import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { verifyChain } from '../../desk/model/log/log-chain.ts';
import type { TestDatabase } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { type DeskClient, openDesk } from '../../testing/desk/desk-client.ts';
import { sha256 } from '../../desk/http/record-files.ts';
import { readLogRows } from '../../testing/desk/log-rows.ts';

/** Operators who say something about once a second, each at a desk of their own. */
export interface Operators extends SentCommands {
  /** They say nothing more, and what they wait for has been answered. */
  stop(): Promise<void>;
}

interface SentCommands {
  readonly sent: ReadonlySet<string>;
  /** With success: id → place in the log. */
  readonly answered: ReadonlyMap<string, number>;
  /** How often no answer came: the server was killed, or did not listen yet. */
  readonly unanswered: number;
  /** How often the answer was that nothing can be recorded now: the same command was sent again. */
  readonly refused: number;
}

/** One at each of these addresses. */
export async function startOperators(urls: readonly string[]): Promise<Operators> {
  const stopping = new AbortController();
  const commands = {
    sent: new Set<string>(),
    answered: new Map<string, number>(),
    unanswered: 0,
    refused: 0,
  };
  const desks = await Promise.all(urls.map((url, n) => openDesk(url, { name: `Mesa ${n}`, key: DESK_KEY })));
  const working = desks.map((desk) => work(desk, commands, stopping.signal));
  return Object.assign(commands, {
    async stop() {
      stopping.abort();
      await Promise.all(working);
    },
  });
}

/**
 * What was answered with success is in the log, each once; nothing else is there but as it was sent. `mayMove`: a database
 * that had lost the last rows has got them again, perhaps behind others.
 */
export async function expectKept(
  { admin }: Pick<TestDatabase, 'admin'>,
  { sent, answered }: SentCommands,
  { mayMove = false } = {},
): Promise<void> {
  // Operators may go on meanwhile.
  const answeredBefore = [...answered];
  const log = await readLogRows(admin);
  const rowOf = new Map(log.map((row) => [row.id, row]));
  expect(rowOf.size).toBe(log.length);
  const isKept = ([id, seq]: readonly [string, number]): boolean =>
    mayMove ? rowOf.has(id) : rowOf.get(id)?.seq === seq;
  expect(answeredBefore.filter((each) => !isKept(each))).toEqual([]);
  const occurrences = log.filter((row) => row.kind === 'occurrence');
  expect(occurrences.filter(({ id, data }) => !sent.has(id) || data.text !== textOf(id))).toEqual([]);
  expect(verifyChain(DEFAULT_EVENT_ID, log, sha256)).toMatchObject({ rows: log.length, broken: undefined });
}

/** Occurrences, one after the other; what is not answered with success is sent again. */
async function work(
  desk: DeskClient,
  commands: { sent: Set<string>; answered: Map<string, number>; unanswered: number; refused: number },
  stopping: AbortSignal,
): Promise<void> {
  const { sent, answered } = commands;
  while (!stopping.aborted) {
    const id = crypto.randomUUID();
    sent.add(id);
    while (!stopping.aborted && !answered.has(id)) {
      const answer = await desk
        .command({ id, text: textOf(id), sector: null })
        .then(async (response) => ({
          status: response.status,
          body: (await response.json()) as { readonly seq: number },
        }))
        .catch(() => undefined);
      if (answer) expect([200, 429, 503]).toContain(answer.status);
      else commands.unanswered += 1;
      if (answer?.status === 503) commands.refused += 1;
      if (answer?.status === 200) answered.set(id, answer.body.seq);
      // Sixty are allowed a minute.
      await pause(500 + Math.random() * 1_000);
    }
  }
}

function textOf(id: string): string {
  return `Ocorrência ${id.slice(0, 8)}`;
}
