import type { FastifyInstance, FastifyRequest } from 'fastify';
import { limitFailedSignIns } from '../../board/http/failed-sign-in.ts';
import { eventOf, perEvent } from '../../board/http/served-event.ts';
import { equalInConstantTime } from '../../board/http/signed-token.ts';
import { readText } from '../model/log/read-command.ts';
import { FieldError, type Fields, readFields, refuseOtherFields } from '../model/log/fields.ts';
import { Invitations } from './invitations.ts';
import { servedDeskOf } from './served-desk.ts';
import {
  clearSession,
  type DeskSessionsOf,
  paceSession,
  requireDeskSession,
  sendSession,
  sessionOf,
} from './session-hooks.ts';

const MAX_NAME_LENGTH = 60;

/** Enough for an escaped name and key. */
const MAX_BODY_BYTES = 2_048;

/** Changes of names and invitations of a session. */
const CHANGES_PER_MINUTE = 30;

/** Serves sign-in by key or invitation, the operator's name, and sign-out. The name is as declared: nobody checks it. */
export function addDeskSignIn(app: FastifyInstance, sessionsOf: DeskSessionsOf, sessionSecret: string): void {
  const used = { sinceMs: Date.now(), untilMs: new Map<string, number>() };
  const invitationsOf = perEvent((event) => {
    const { key: deskKey } = servedDeskOf(event);
    return new Invitations({ sessionSecret, deskKey, eventId: event.eventId, used });
  });
  const answerFailure = limitFailedSignIns(app);

  app.post('/sign-in', { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const fields = readFields(request.body);
    refuseOtherFields(fields, ['name', 'key', 'invitation']);
    const name = readName(fields);
    const secret = readSecret(fields);
    const nowMs = Date.now();
    const event = eventOf(request);
    const endsAtMs =
      'key' in secret
        ? endByKey(secret.key, servedDeskOf(event).key)
        : invitationsOf(event).use(secret.invitation, nowMs);
    if (endsAtMs === undefined) {
      const detail = 'key' in secret ? 'the key is wrong' : 'the invitation is used, or over: show a new one';
      return answerFailure(request, reply, { log: 'sign-in to the desk failed', detail });
    }
    request.log.info({ address: request.ip, name }, 'signed in to the desk');
    const sessions = sessionsOf(event);
    return sendSession(reply, sessions, sessions.open(name, nowMs, endsAtMs));
  });

  app.post('/sign-out', (_request, reply) => clearSession(reply));

  const ofSession = { onRequest: [requireDeskSession(sessionsOf), paceSession(app, CHANGES_PER_MINUTE)] };
  app.get('/session', ofSession, (request, reply) => {
    const { name, endsAtMs } = sessionOf(request);
    return reply.header('cache-control', 'no-store').send({ name, endsAtMs });
  });
  app.post('/operator', { ...ofSession, bodyLimit: MAX_BODY_BYTES }, (request: FastifyRequest, reply) => {
    const fields = readFields(request.body);
    refuseOtherFields(fields, ['name']);
    return sendSession(reply, sessionsOf(eventOf(request)), {
      ...sessionOf(request),
      name: readName(fields),
    });
  });
  app.post('/invitations', ofSession, (request, reply) =>
    reply
      .header('cache-control', 'no-store')
      .send(invitationsOf(eventOf(request)).invite(sessionOf(request).endsAtMs, Date.now())),
  );
}

function endByKey(key: string, deskKey: string): number | undefined {
  return equalInConstantTime(key, deskKey) ? Infinity : undefined;
}

function readName(fields: Fields): string {
  return readText('name', fields['name'], MAX_NAME_LENGTH);
}

function readSecret({ key, invitation }: Fields): { readonly key: string } | { readonly invitation: string } {
  if (typeof key === 'string' && invitation === undefined) return { key };
  if (typeof invitation === 'string' && key === undefined) return { invitation };
  throw new FieldError('key', 'give the key, or an invitation');
}
