import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CommandRefused, DeskUnavailableError } from '../flow/desk.ts';
import { RecordUnavailableError } from '../record/record.ts';
import { sendProblem } from '../../board/http/problem.ts';
import type { PageHasSeen } from '../../board/http/seen-timeline.ts';
import { eventOf, perEvent } from '../../board/http/served-event.ts';
import { addDeskCommands } from './desk-commands.ts';
import { addDeskRecord } from './desk-record.ts';
import { addDeskReads } from './desk-reads.ts';
import { DeskSessions } from './desk-session.ts';
import { addDeskSignIn } from './desk-sign-in.ts';
import { addDeskStream } from './desk-stream.ts';
import { FieldError } from '../model/log/fields.ts';
import { deskOf, servedDeskOf } from './served-desk.ts';
import { paceSession, requireDeskSession } from './session-hooks.ts';
import { MINUTE_MS } from '../model/series/minute.ts';
import { readWholeNumber } from './whole-number.ts';

/** Another process takes over within this time, if there is one. */
const RECORD_RETRY_AFTER_S = 3;

/** The reads of a session, streams included. */
const READS_PER_MINUTE = 120;

/** The recorded states of a session: a replay at sixty times the speed reads one per second. */
const STATES_PER_MINUTE = 180;

/** The files of a session: two for programs, two for Excel and the print, several times. */
const RECORDS_PER_MINUTE = 12;

/** Serves the desk's sessions and everything behind them, below `/fluxo/api`. */
export async function addDesk(
  app: FastifyInstance,
  sessionSecret: string,
  pageHasSeen?: PageHasSeen,
): Promise<void> {
  const sessionsOf = perEvent((served) => {
    const { key: deskKey, sessionLifetimeMs: lifetimeMs } = servedDeskOf(served);
    return new DeskSessions({ sessionSecret, deskKey, eventId: served.eventId, lifetimeMs });
  });
  await app.register(
    async (api) => {
      api.decorateRequest('deskSession', undefined);
      api.setErrorHandler(answerDeskError);
      api.addHook('onRequest', requireOwnOrigin);
      addDeskSignIn(api, sessionsOf, sessionSecret);
      await api.register(
        async (event) => {
          // Other events do not exist here, for any session.
          event.addHook<{ Params: { eventId: string } }>('onRequest', async (request, reply) =>
            request.params.eventId === eventOf(request).eventId ? undefined : sendProblem(reply, 404),
          );
          event.addHook('onRequest', requireDeskSession(sessionsOf));
          addDeskCommands(event);
          await event.register(async (reads) => {
            reads.addHook('onRequest', paceSession(reads, READS_PER_MINUTE));
            addDeskReads(reads);
            addDeskStream(reads, pageHasSeen);
          });
          await event.register(async (recorded) => {
            recorded.addHook('onRequest', paceSession(recorded, STATES_PER_MINUTE));
            addRecordedState(recorded);
          });
          await event.register(async (files) => {
            files.addHook('onRequest', paceSession(files, RECORDS_PER_MINUTE));
            addDeskRecord(files);
          });
        },
        { prefix: '/events/:eventId' },
      );
    },
    { prefix: '/fluxo/api' },
  );
}

/** Leaves errors that are not the desk's to the server. */
function answerDeskError(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof FieldError) return sendProblem(reply, 422, error.message, { field: error.field });
  if (error instanceof CommandRefused)
    return sendProblem(reply, 409, error.message, { reason: error.reason });
  if (error instanceof RecordUnavailableError || error instanceof DeskUnavailableError) {
    return sendProblem(reply.header('retry-after', RECORD_RETRY_AFTER_S), 503, error.message);
  }
  throw error;
}

/** `GET …/state?at=MS` returns the state that was displayed at the first end of a minute at or after that instant. */
function addRecordedState(app: FastifyInstance): void {
  app.get<{ Querystring: Record<string, unknown> }>('/state', async (request, reply) => {
    const atMs = readWholeNumber('at', request.query['at']);
    const state = await deskOf(request).stateAt(Math.ceil(atMs / MINUTE_MS) * MINUTE_MS);
    if (!state) return sendProblem(reply, 404, 'nothing is recorded of that minute');
    return reply.header('cache-control', 'no-store').send(state);
  });
}

/**
 * An `onRequest` hook: only pages of this origin may write. Browsers send a page's origin with every POST by fetch in mode
 * "cors", the default; another mode would hide it, as the pages send no referrer.
 */
async function requireOwnOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  if (request.method === 'GET' || request.headers.origin === ownOrigin(request)) return undefined;
  return sendProblem(reply, 403, 'only a page of this address may write; is the proxy named in TRUST_PROXY?');
}

/** Returns the origin as browsers write it, without the scheme's default port; `null` for an invalid host. */
function ownOrigin({ protocol, host }: FastifyRequest): string | null {
  const url = `${protocol}://${host}`;
  return URL.canParse(url) ? new URL(url).origin : null;
}
