import type { FastifyInstance } from 'fastify';
import { CommandRefused } from '../flow/desk.ts';
import { RecordUnavailableError } from '../record/record.ts';
import { readCommand, readGivenBy, readUntil } from '../model/log/read-command.ts';
import { eventOf } from '../../board/http/served-event.ts';
import { servedDeskOf } from './served-desk.ts';
import { paceSession, sessionOf } from './session-hooks.ts';
import { withinLimit } from './within-limit.ts';

/** More than an operator can send, and far less than a script. */
const COMMANDS_PER_MINUTE = 60;

/** Enough for five hundred escaped characters. */
const MAX_BODY_BYTES = 8_192;

const COMMAND_MS = 10_000;

/** `POST …/commands` adds one entry to the log. It answers 200 after the commit, and never before. */
export function addDeskCommands(app: FastifyInstance): void {
  const onRequest = paceSession(app, COMMANDS_PER_MINUTE);
  app.post('/commands', { onRequest, bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const { desk, commandMs = COMMAND_MS } = servedDeskOf(eventOf(request));
    const { nowMs } = await desk.state();
    const command = readCommand(request.body, { sectors: desk.sectors, nowMs });
    const by = readGivenBy(request.body);
    const { name } = sessionOf(request);
    // A command from before a sign-in, or from another page of this browser, must not get the new operator's name.
    if (by !== undefined && by !== name) {
      throw new CommandRefused('other-operator', 'another operator has signed in since');
    }
    const row = await withinLimit(desk.command(command, name, readUntil(request.body)), commandMs);
    if (!row)
      throw new RecordUnavailableError('the record does not answer: the same command may be sent again');
    return reply.header('cache-control', 'no-store').send({ seq: row.seq, stored: row.stored });
  });
}
