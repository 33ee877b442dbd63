import type { FastifyInstance } from 'fastify';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandRefused, type RecordedRow } from '../flow/desk.ts';
import { RecordUnavailableError } from '../record/record.ts';
import { readCommand, readGivenBy, readUntil } from '../model/log/read-command.ts';
import { eventOf } from '../../board/http/served-event.ts';
import { servedDeskOf } from './served-desk.ts';
import { paceSession, sessionOf } from './session-hooks.ts';

/** More than hands can do, and far less than a script. */
const COMMANDS_PER_MINUTE = 60;

/** Five hundred characters, however they are escaped. */
const MAX_BODY_BYTES = 8_192;

/** So long a command may take to be recorded. */
const COMMAND_MS = 10_000;

/** `POST …/commands`: one entry of the log. 200 is answered after its commit, and never before. */
export function addDeskCommands(app: FastifyInstance): void {
  const onRequest = paceSession(app, COMMANDS_PER_MINUTE);
  app.post('/commands', { onRequest, bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const { desk, commandMs = COMMAND_MS } = servedDeskOf(eventOf(request));
    const { nowMs } = await desk.state();
    const command = readCommand(request.body, { sectors: desk.sectors, nowMs });
    const by = readGivenBy(request.body);
    const { name } = sessionOf(request);
    // Given before a session ended, or on another page of this browser: nobody signs for somebody else.
    if (by !== undefined && by !== name) {
      throw new CommandRefused('other-operator', 'another operator has signed in since');
    }
    const row = await withinLimit(desk.command(command, name, readUntil(request.body)), commandMs);
    return reply.header('cache-control', 'no-store').send({ seq: row.seq, stored: row.stored });
  });
}

async function withinLimit(recording: Promise<RecordedRow>, limitMs: number): Promise<RecordedRow> {
  const timer = new AbortController();
  const late = pause(limitMs, undefined, { signal: timer.signal }).then((): never => {
    throw new RecordUnavailableError('the record does not answer: the same command may be sent again');
  });
  try {
    return await Promise.race([recording, late]);
  } finally {
    timer.abort();
    late.catch(() => {});
  }
}
